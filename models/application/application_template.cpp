#include "models/application/application_file.hpp"

namespace warpbound::models::application {

std::string_view application_template() {
    return R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- An application: `warpbound application FILE`. Counts, sizes and times are expressions over the
     parameters, with + - * / comparisons, min, max, floor, ceil and log2 (rounded up). A time is
     one number, LO..HI or LO..TYPICAL..HI, with its unit s, ms, us or ns; it is an estimate unless
     basis="measured" or basis="bounds" says otherwise, with a source. -->
<!-- deadline="40ms" on <application>, or the option deadline, gives a verdict. -->
<application>
  <!-- The options set (n=2e6) and sweep (nodes=1,2,4) give other values. -->
  <parameter name="n" value="1e6"/>
  <parameter name="nodes" value="2"/>
  <parameter name="steps" value="10"/>
  <!-- cores: computations that a host does at the same time. -->
  <host name="node" cores="8" count="nodes"/>
  <!-- connects: device (one for each), host (all devices or ranks of a host share it), pair (of
       hosts) or cluster (all hosts share it). duplex="full": both directions at the same time. A
       link serves one transfer at a time, in the order of arrival. -->
  <link name="pcie" connects="device" duplex="full" start="4us..5us..8us" bandwidth="9GB/s..10GB/s..11GB/s"/>
  <link name="network" connects="pair" duplex="full" start="2us..3us" bandwidth="1GB/s..1.2GB/s"/>
  <!-- machine: a description, whose copies are used without a link. launch: cost of a launch. -->
  <device name="gpu" host="node" count="1" machine="maxwell-gtx970" link="pcie" launch="5us..8us"/>
  <!-- Times of kernels: time, as here; <volkov> with the demands of a warp; model="volkov" (or
       another of `predict`) with profile= or file=; file= alone, which `analyze` bounds; or
       campaign= with series=. All but the first and the last need blocks= and threads=. -->
  <kernel name="stencil" time="n/nodes*0.02ns..n/nodes*0.03ns"/>
  <kernel name="norm" blocks="64" threads="256">
    <volkov cuda-instructions="40" issued-instructions="44" bytes="256" latency="900"
            occupancy="64" lambda="0.7"/>
  </kernel>
  <!-- Ranks do their steps one after another; rank is 0 .. ranks-1. A step with wait="no" is not
       waited for; operations of a stream follow each other; <wait/> waits for all of them.
       Collectives of all ranks of a process (or among="all") are made of messages: <broadcast>,
       <reduce>, <allreduce algorithm="ring"> and <barrier link="network"/>. -->
  <process name="solver" host="node" ranks="nodes" device="gpu">
    <copy name="upload" direction="host-to-device" bytes="8*n/nodes B"/>
    <loop count="steps" variable="step">
      <launch kernel="stencil"/>
      <send to="solver" rank="rank+1" bytes="8kB" link="network" wait="no" when="ranks > rank+1"/>
      <receive from="solver" rank="rank-1" when="rank > 0"/>
      <compute name="check" time="10us..15us"/>
      <barrier name="step" time="log2(ranks)*5us"/>
    </loop>
    <launch kernel="norm"/>
    <allreduce name="residual" bytes="64B" link="network" combine="1GB/s..2GB/s"/>
    <copy name="download" direction="device-to-host" bytes="8*n/nodes B"/>
    <wait/>
  </process>
</application>
)";
}

} // namespace warpbound::models::application
