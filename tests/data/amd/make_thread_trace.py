#!/usr/bin/env python3
"""Writes a folder as `rocprofv3 --att` does, from a listing of tests/data/amd.

    make_thread_trace.py gfx90a.objdump.xz grid_stride FOLDER ADDRESS PATH...
    make_thread_trace.py gfx90a.objdump.xz grid_stride FOLDER ADDRESS --simulated RUN.csv

ADDRESS is where the kernel begins in its code object. Each PATH is a wavefront: one character for
each conditional branch that it executes, T (taken) or N; a further character L in front of a branch
loses the trace up to that branch, as a full buffer does. Times are made up: one issue each four
cycles, and `s_waitcnt` stalls for 40 cycles more in each wavefront.

RUN.csv is a trace of `warpbound simulate --trace`. Its first multiprocessor is the compute unit that was
traced; times are those of the simulated run. An instruction is tried four cycles after the issue before.
"""

import csv
import json
import lzma
import pathlib
import re
import sys

CATEGORIES = (("s_load", 1), ("global_", 3), ("buffer_", 3), ("scratch_", 3), ("flat_", 4),
              ("ds_", 5), ("v_", 6), ("s_cbranch", 7), ("s_branch", 7), ("s_waitcnt", 9),
              ("s_nop", 9), ("s_endpgm", 9), ("s_", 2))


def read_kernel(path, name):
    """(offset, text) of each instruction."""
    rows, inside = [], False
    for line in lzma.open(path, "rt"):
        if line.startswith("<"):
            inside = line.strip() in (f"<{name}>", f"<{name}>:")
        elif inside and line.strip():
            offset, text = line.strip().split(None, 1)
            rows.append((int(offset, 16), text.split("//")[0].strip()))
    return rows


def walk(rows, path):
    """Indices of the instructions that a wavefront executes, and which are recorded."""
    at = {offset: index for index, (offset, _) in enumerate(rows)}
    steps, index, decisions = [], 0, list(path)
    begin = 0
    while True:
        offset, text = rows[index]
        steps.append(index)
        opcode, *operands = text.split()
        if opcode == "s_endpgm":
            return steps
        taken = opcode == "s_branch"
        if opcode.startswith("s_cbranch"):
            decision = decisions.pop(0)
            if decision == "L":
                del steps[begin:-1]
                decision = decisions.pop(0)
            taken = decision == "T"
            begin = len(steps)
        if taken:
            words = int(operands[0])
            words -= 0x10000 if words >= 0x8000 else 0
            index = at[offset + 4 + 4 * words]
        else:
            index += 1


def category(text):
    return next(number for prefix, number in CATEGORIES if text.startswith(prefix))


def made_wavefronts(rows, paths):
    """Begin, and (index, time, stall) of each instruction."""
    for wave, path in enumerate(paths):
        time = begin = 1000 + 16 * wave
        steps = []
        for index in walk(rows, path):
            stall = 40 * (wave + 1) if rows[index][1].startswith("s_waitcnt") else 0
            steps.append((index, time, stall))
            time += stall + 4
        yield begin, steps


def simulated_wavefronts(rows, file):
    """Likewise, of the multiprocessor that issues first."""
    at = {offset: index for index, (offset, _) in enumerate(rows)}
    waves, unit = {}, None
    for row in csv.DictReader(open(file)):
        unit = unit or row["multiprocessor"]
        if row["multiprocessor"] != unit:
            continue
        issue, steps = 1000 + int(row["cycle"]), waves.setdefault(int(row["warp"]), [])
        time = steps[-1][1] + steps[-1][2] + 4 if steps else 1000
        steps.append((at[int(row["address"], 16)], min(time, issue), max(0, issue - time)))
    for _, steps in sorted(waves.items()):
        yield steps[0][1], steps


def main():
    listing, name, folder, start, *paths = sys.argv[1:]
    folder, start = pathlib.Path(folder), int(start, 0)
    rows = read_kernel(listing, name)
    totals = [[0, 0, 0, 0] for _ in rows]  # hits, latency, stall, idle
    names = {}
    folder.mkdir(parents=True, exist_ok=True)
    is_simulated = paths[0] == "--simulated"
    waves = simulated_wavefronts(rows, paths[1]) if is_simulated else made_wavefronts(rows, paths)
    for wave, (begin, steps) in enumerate(waves):
        instructions = []
        for index, time, stall in steps:
            duration = stall + 4
            instructions.append([time, category(rows[index][1]), stall, duration, index + 1])
            for column, value in enumerate((1, duration, stall, 0)):
                totals[index][column] += value
        end = instructions[-1][0] + instructions[-1][3]
        simd, place = wave % 4, wave // 4
        # One wavefront after another in the only slot of a made trace, side by side in a simulated one.
        slot, number = (place, 0) if is_simulated else (0, place)
        file = f"se0_sm{simd}_sl{slot}_wv{number}.json"
        names.setdefault(str(simd), {}).setdefault(str(slot), {})[str(number)] = [file, begin, end]
        write(folder / file, {
            "duration": end - begin, "name": "SE0", "num_insts": len(instructions),
            "num_stitched": len(instructions),
            "wave": {"begin": begin, "cu": 1, "end": end, "id": number,
                     "instructions": instructions, "simd": simd, "slot": slot,
                     "timeline": [[2, end - begin]], "waitcnt": None}})
    code = [[f"; {name}", 0, 0, "", 1, start, 0, 0, 0, 0]]
    code += [[text, 0, index + 1, "", 1, start + offset] + totals[index]
             for index, (offset, text) in enumerate(rows)]
    write(folder / "code.json", {
        "code": code, "version": "3.0.0",
        "header": "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle"})
    write(folder / "filenames.json", {
        "counter_names": [], "gfxip": 9, "gfxv": "vega", "global_begin_time": 0,
        "version": "3.0.0", "wave_filenames": {"0": names}})


def write(path, value):
    text = json.dumps(value, separators=(",", ":"))
    path.write_text(re.sub(r"(\],)\[", r"\1\n[", text) + "\n")


if __name__ == "__main__":
    main()
