#include "models/pipeline/pipeline_file.hpp"

namespace warpbound::models {

std::string_view pipelines_template() {
    return R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- Pipelines that share one GPU: `warpbound pipeline FILE`. Times have the units s, ms, us, ns.
     An attribute that is left out takes the safe reading: at-least 0, order "any", jobs one after
     another, lines of the L2 evicted by others, traffic unknown. -->
<pipelines clock="1350..1590MHz">
  <!-- order: any, fifo or priority. memory-interference="none" states that nobody delays anybody
       else in memory; l2-lines="kept" that nobody evicts lines that others use again. -->
  <device copy-engines="2" copy-order="fifo" l2-lines="kept">
    <memory level="l2" bandwidth="1000GB/s"/>
    <memory level="dram" bandwidth="250GB/s"/>
    <partition name="vision" multiprocessors="30" order="fifo"/>
    <partition name="rest" multiprocessors="10"/>
  </device>
  <!-- period: exact; distance: at least, for sporadic jobs. A soft deadline may have
       tolerated-miss-rate="0.001". jobs="overlap": a job may start before the one before ended;
       each operation then needs a stream of its own. -->
  <pipeline name="camera" period="33333333ns" jitter="500us" deadline="30ms" criticality="hard">
    <host name="capture" at-least="1ms" at-most="2ms"/>
    <copy name="upload" after="capture" direction="host-to-device" bytes="8MB"
          at-least="600us" at-most="900us"/>
    <!-- A stage may hold <samples file="detect.csv" unit="us"/> or <samples campaign="detect.db"
         series="NAME"/>, observed own times: they estimate how often the deadline is missed. With
         them, dependence="independent" or "comonotone" on <pipeline>; default "unknown". -->
    <!-- Stated times; or file="K.cubin" launch="256x128" (with machine="NAME" on <pipelines>), and
         the code is bounded on the SMs of the partition. -->
    <kernel name="detect" after="upload" partition="vision" at-least="2ms" at-most="6ms"
            basis="measured" source="campaign detect.db, longest of 5000 runs"
            l2-traffic="200MB" dram-traffic="60MB"/>
    <copy name="download" after="detect" direction="device-to-host" bytes="64kB" at-most="50us"/>
    <host name="actuate" after="download" at-most="300us"/>
  </pipeline>
  <!-- A best-effort client: at most burst + rate t bytes in any time t. -->
  <client name="training">
    <kernel partition="rest" at-most="20ms" distance="20ms"/>
    <traffic level="l2" burst="4MB" rate="100GB/s"/>
    <traffic level="dram" burst="4MB" rate="40GB/s"/>
  </client>
</pipelines>
)";
}

} // namespace warpbound::models
