"""Checks how an ELF executable was linked: position independent, full RELRO, no executable stack, no relocations in code.

Usage: hardening.py FILE. Status 1 if something is missing; each line says what. Used by tools/test and tools/package.
"""

import struct
import sys

PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO = 2, 0x6474E551, 0x6474E552
DT_NULL, DT_TEXTREL, DT_BIND_NOW, DT_FLAGS, DT_FLAGS_1 = 0, 22, 24, 30, 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 4, 8, 1, 0x08000000
ET_DYN, PF_X = 3, 1


def faults(data):
    """Returns the faults of a 64-bit little-endian ELF file, one per line."""
    if data[:6] != b"\x7fELF\x02\x01" or len(data) < 64:
        return ["not an ELF file of 64 bits, little-endian"]
    kind, = struct.unpack_from("<H", data, 16)
    offset, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments, dynamic = {}, {}
    for i in range(count):
        kind_of_segment, flags, at, _, _, length = struct.unpack_from("<IIQQQQ", data, offset + i * size)
        segments[kind_of_segment] = flags
        if kind_of_segment != PT_DYNAMIC:
            continue
        for entry in range(at, at + length, 16):
            tag, value = struct.unpack_from("<QQ", data, entry)
            if tag == DT_NULL:
                break
            dynamic[tag] = value
    flags, flags_1 = dynamic.get(DT_FLAGS, 0), dynamic.get(DT_FLAGS_1, 0)
    found = []
    if kind != ET_DYN or not flags_1 & DF_1_PIE:
        found.append("not a position-independent executable")
    if PT_GNU_RELRO not in segments:
        found.append("no RELRO segment")
    if not (DT_BIND_NOW in dynamic or flags & DF_BIND_NOW or flags_1 & DF_1_NOW):
        found.append("not bound at start (-z now), so RELRO is partial")
    if segments.get(PT_GNU_STACK, PF_X) & PF_X:
        found.append("the stack is executable")
    if DT_TEXTREL in dynamic or flags & DF_TEXTREL:
        found.append("relocations in code")
    return found


def main(path):
    with open(path, "rb") as file:
        found = faults(file.read())
    for fault in found:
        print(f"{path}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        sys.exit(0 if len(sys.argv) == 2 else 2)
    sys.exit(main(sys.argv[1]))
