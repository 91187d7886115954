#!/usr/bin/env python3
"""Packs a .traceg file as Accel-Sim 2.0 does: pack_trace.py IN.traceg OUT.tracez [INSTRUCTIONS [DICTIONARY]].

The layout is that of accel-sim-framework, util/tracer_nvbit/tracer_tool/tracez_format.h: header, dictionary, parts of
each warp as frames of zstd, index. Needs the program zstd. Made tests/fuzz/corpus/packed_trace."""
import re
import struct
import subprocess
import sys
import tempfile


def pack(text, dictionary):
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        with_dictionary = ["-D", dictionary] if dictionary else []
        return subprocess.run(["zstd", "-q", "-c", *with_dictionary, file.name], check=True, stdout=subprocess.PIPE).stdout


def numbers(line):
    return [int(n) for n in re.findall(r"\d+", line.split("=")[1])]


def main(source, target, of_part=2048, dictionary=None):
    header, *blocks = open(source).read().split("\n#BEGIN_TB\n")
    out = bytearray(header.encode() + b"\0")
    shared = open(dictionary, "rb").read() if dictionary else b""
    out += struct.pack("<II", len(shared), of_part) + shared
    index = struct.pack("<I", len(blocks))
    for block in blocks:
        head, *warps = block.split("#END_TB")[0].split("warp = ")
        fields = {line.split("=")[0].strip(): numbers(line) for line in head.splitlines() if "=" in line}
        index += struct.pack("<10I", *fields["thread block"], *fields.get("cluster id", [0, 0, 0]),
                             *fields.get("cluster cta", [0, 0, 0]), *fields.get("cluster rank", [0]))
        index += struct.pack("<I", len(warps))
        for warp in warps:
            lines = [line for line in warp.splitlines()[2:] if line.strip()]
            parts = [lines[i:i + of_part] for i in range(0, len(lines), of_part)]
            index += struct.pack("<IIQ", len(lines), len(parts), len(out))
            index += b"".join(struct.pack("<I", len(part)) for part in parts)
            out += struct.pack("<II", len(lines), len(parts))
            for part in parts:
                frame = pack("\n".join(part), dictionary)
                out += struct.pack("<I", len(frame)) + frame
    open(target, "wb").write(out + index + struct.pack("<Q", len(out)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]), *sys.argv[4:5])
