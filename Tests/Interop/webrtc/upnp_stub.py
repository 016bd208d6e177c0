"""A library in place of libgupnp-igd, for whip-client.

libnice loads libgupnp-igd, that loads libsoup 3, and whip-client loads libsoup 2: a process with both aborts at once. The functions of the replaced
library are not needed here.
"""

import media

STUB = "".join(f"void *gupnp_simple_igd_{name}(void) {{ return 0; }}\n"
               for name in ("add_port", "get_type", "remove_port_local", "thread_new"))


def make(folder):
    """Compiles the library; returns its folder, for LD_LIBRARY_PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "libgupnp-igd-1.0.so.4"
    if not library.exists():
        (folder / "stub.c").write_text(STUB)
        media.run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libgupnp-igd-1.0.so.4", "-o", library, folder / "stub.c"])
    return folder
