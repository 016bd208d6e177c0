"""Mutations of JSON values, texts and bytes. All functions take their random source."""

import json

ODD_TEXTS = ["", " ", "\x00", "\u202egnp.exe", "\u200b", "\ufeff", "\U0001f469\u200d\U0001f4bb" * 50, "e\u0301" * 200, "\u0000\u001f", "\ud7ff\ue000",
             "A" * 151, "A" * 8_193, "A" * 40_000, "../../../etc/passwd", "%00%2e%2e%2f", "\r\nHost: other", "\uffff", "null", "\u0130\u0131\u017f",
             "\u1e9e" * 150, "{}", "'; DROP TABLE messages; --", "-1", "\u2028\u2029"]
ODD_NUMBERS = [0, -1, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 2 ** 63 - 1, 2 ** 63, 2 ** 64, -2 ** 63, -2 ** 64, 10 ** 300, 1e308, -0.0, 0.5, 1e-300]


def nested(depth, dice):
    value = dice.choice([0, "x", None])
    for _ in range(depth):
        value = [value] if dice.random() < 0.5 else {"a": value}
    return value


def odd(dice, is_within=False):
    """Returns a value that no field expects."""
    choice = dice.randrange(8 if is_within else 9)
    if choice == 0:
        return None
    if choice == 1:
        return dice.choice([True, False])
    if choice < 4:
        return dice.choice(ODD_NUMBERS)
    if choice < 7:
        return dice.choice(ODD_TEXTS)
    if choice == 7:
        return nested(dice.choice([1, 2, 10, 100, 600]), dice)
    return [odd(dice, True) for _ in range(dice.choice([0, 1, 5, 200]))]


def paths_in(value, path=()):
    """Returns the paths of all values in a value."""
    found = [path]
    if isinstance(value, dict):
        for key, item in value.items():
            found += paths_in(item, path + (key,))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            found += paths_in(item, path + (number,))
    return found


def mutated(value, dice, start=()):
    """Returns a copy with one value changed, removed or added; `start` is the path under which changes are made."""
    value = json.loads(json.dumps(value))
    paths = [p for p in paths_in(value) if len(p) > len(start) and p[:len(start)] == start]
    if not paths:
        return value
    path = dice.choice(paths)
    parent = value
    for step in path[:-1]:
        parent = parent[step]
    choice = dice.randrange(10)
    if choice == 0 and isinstance(parent, dict):
        del parent[path[-1]]
    elif choice == 1 and isinstance(parent, dict):
        parent[dice.choice(ODD_TEXTS)[:40]] = odd(dice)
    elif choice == 2 and isinstance(parent[path[-1]], str):
        parent[path[-1]] = characters(parent[path[-1]], dice)
    elif choice == 3 and isinstance(parent, list):
        parent.extend([parent[path[-1]]] * dice.choice([1, 10, 300]))
    else:
        parent[path[-1]] = odd(dice)
    return value


def characters(text, dice):
    """Returns a text with some characters changed, repeated or removed."""
    items = list(text)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(items) + 1)
        choice = dice.randrange(3)
        if choice == 0:
            items.insert(at, dice.choice(["\x00", "\x7f", "\u202e", "\U0010ffff", "\n", '"', "\\", chr(dice.randrange(1, 0xd7ff))]))
        elif items and choice == 1:
            del items[at - 1]
        elif items:
            items[at - 1] = items[at - 1] * dice.choice([2, 100])
    return "".join(items)


def octets(data, dice):
    """Returns bytes with some changed, cut off or added."""
    data = bytearray(data)
    for _ in range(dice.randrange(1, 4)):
        if not data:
            break
        at = dice.randrange(len(data))
        choice = dice.randrange(5)
        if choice == 0:
            data[at] ^= 1 << dice.randrange(8)
        elif choice == 1:
            data[at] = dice.choice([0, 0x22, 0x5c, 0x7b, 0x80, 0xc0, 0xf5, 0xff])
        elif choice == 2:
            del data[at:at + dice.randrange(1, 20)]
        elif choice == 3:
            data[at:at] = data[at:at + dice.randrange(1, 60)]
        else:
            data[at:at] = dice.randbytes(dice.randrange(1, 8))
    return bytes(data)


def lines(text, dice):
    """Returns a text of lines, like SDP, with some removed, repeated, moved or changed."""
    rows = text.split("\r\n")
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(len(rows))
        choice = dice.randrange(7)
        if choice == 0 and len(rows) > 1:
            del rows[at]
        elif choice == 1:
            rows[at:at] = [rows[at]] * dice.choice([1, 2, 100])
        elif choice == 2:
            rows[at], rows[at - 1] = rows[at - 1], rows[at]
        elif choice == 3:
            words = rows[at].split(" ")
            words[dice.randrange(len(words))] = dice.choice(["", "0", "-1", "65536", "4294967296", "9" * 40, "a" * 300, "*", "\x00"])
            rows[at] = " ".join(words)
        elif choice == 4:
            rows[at] = rows[at] + dice.choice([":", " x", ";", "\t", "=" * 20, "a" * 2_000])
        elif rows[at]:
            rows[at] = characters(rows[at], dice)
    return "\r\n".join(rows)
