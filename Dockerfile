# warpbound in a small image: `docker build -t warpbound .`, then
# `docker run --rm -v "$PWD:/work" warpbound bound kernel.sass --gpu turing-t4 --grid 64 --block 256`.
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
      cmake ninja-build g++ pkg-config dpkg-dev file gzip xz-utils \
      libz3-dev libboost-dev libtinyxml2-dev libsqlite3-dev libcli11-dev libfmt-dev nlohmann-json3-dev libssl-dev \
      llvm-19-dev zlib1g-dev liblzma-dev libzstd-dev \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
WORKDIR /source
RUN cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr -DWARPBOUND_TESTS=OFF \
    && cmake --build build/release \
    && cpack -G DEB --config build/release/CPackConfig.cmake -D CPACK_COMPONENTS_ALL=program -B /packages

FROM debian:bookworm-slim
COPY --from=build /packages/warpbound_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/warpbound_*.deb \
    && rm -rf /var/lib/apt/lists/* /tmp/warpbound_*.deb \
    && useradd --create-home warpbound
USER warpbound
WORKDIR /work
ENTRYPOINT ["warpbound"]
CMD ["--help"]
