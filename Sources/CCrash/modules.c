// Module and offset of an address by the memory map, name of its function by the symbol table of the executable. Both files are opened at
// the start, because a process that crashes may have no descriptor left.
#define _GNU_SOURCE
#include "internal.h"
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULES 256
#define PATH_BYTES 192

static struct module {
    uint64_t base, end;
    char path[PATH_BYTES];
} modules[MODULES];
static size_t module_count;
static int maps = -1;

static const Elf64_Sym *symbols;
static size_t symbol_count;
static const char *strings;
static size_t string_bytes;
static char executable[PATH_BYTES];

// The symbol table within the mapped file; nothing is used of a file that is not as it should be.
static void find_symbols(const uint8_t *file, size_t size) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64) return;
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > size) return;
    if ((size - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum) return;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *table = sections + i;
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= header->e_shnum) continue;
        const Elf64_Shdr *names = sections + table->sh_link;
        if (table->sh_offset > size || size - table->sh_offset < table->sh_size) continue;
        if (names->sh_offset > size || size - names->sh_offset < names->sh_size || !names->sh_size) continue;
        if (file[names->sh_offset + names->sh_size - 1]) continue;
        symbols = (const Elf64_Sym *)(file + table->sh_offset);
        symbol_count = table->sh_size / sizeof(Elf64_Sym);
        strings = (const char *)file + names->sh_offset;
        string_bytes = names->sh_size;
    }
}

void crash_modules_prepare(void) {
    maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    executable[length < 0 ? 0 : length] = 0;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) find_symbols(file, (size_t)status.st_size);
    }
    close(fd);
}

static uint64_t hex(const char **text, const char *end) {
    uint64_t value = 0;
    for (; *text < end; ++*text) {
        char c = **text;
        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint64_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        } else {
            break;
        }
    }
    return value;
}

// A line of the map: start-end rights offset device inode path. A module is a path from its mapping at offset 0 to its last one.
static void take(const char *line, const char *end) {
    const char *at = line;
    uint64_t start = hex(&at, end);
    if (at == end || *at++ != '-') return;
    uint64_t stop = hex(&at, end);
    const char *path = memchr(line, '/', (size_t)(end - line));
    if (!path || path[-1] != ' ') return;
    if (end - at < 7) return;
    at += 6;
    uint64_t offset = hex(&at, end);
    size_t length = (size_t)(end - path) < PATH_BYTES - 1 ? (size_t)(end - path) : PATH_BYTES - 1;
    struct module *last = module_count ? modules + module_count - 1 : NULL;
    int is_same = last && strlen(last->path) == length && !memcmp(last->path, path, length);
    if (is_same && (offset != 0 || last->base == start)) {
        last->end = stop;
    } else if (offset == 0 && module_count < MODULES) {
        struct module *module = modules + module_count++;
        module->base = start;
        module->end = stop;
        memcpy(module->path, path, length);
        module->path[length] = 0;
    }
}

void crash_modules_read(void) {
    static char buffer[8192];
    size_t held = 0;
    module_count = 0;
    if (maps < 0 || lseek(maps, 0, SEEK_SET) < 0) return;
    for (;;) {
        ssize_t n = read(maps, buffer + held, sizeof buffer - held);
        if (n <= 0) break;
        held += (size_t)n;
        size_t line = 0;
        for (size_t i = 0; i < held; i++) {
            if (buffer[i] != '\n') continue;
            take(buffer + line, buffer + i);
            line = i + 1;
        }
        // A line that is longer than the buffer is given up.
        if (line == 0 && held == sizeof buffer) line = held;
        memmove(buffer, buffer + line, held - line);
        held -= line;
    }
}

static const struct module *module_of(uint64_t address) {
    for (size_t i = 0; i < module_count; i++) {
        if (address >= modules[i].base && address < modules[i].end) return modules + i;
    }
    return NULL;
}

int crash_put_address(crash_writer *w, uint64_t address) {
    const struct module *module = module_of(address);
    if (!module) {
        crash_put(w, "?");
        return 0;
    }
    const char *name = strrchr(module->path, '/') + 1;
    crash_put_clean(w, name, strlen(name));
    crash_put(w, "+0x");
    crash_put_hex(w, address - module->base, 1);
    return 1;
}

void crash_put_modules(crash_writer *w) {
    crash_put(w, "\nmodules:\n");
    for (size_t i = 0; i < module_count; i++) {
        crash_put(w, "0x");
        crash_put_hex(w, modules[i].base, 1);
        crash_put(w, " ");
        crash_put_clean(w, modules[i].path, strlen(modules[i].path));
        crash_put(w, "\n");
    }
}

static struct {
    size_t frame;
    uint64_t offset;
    const Elf64_Sym *symbol;
} found[CRASH_FRAMES];
static size_t found_count;

void crash_find_symbols(const uint64_t *addresses, size_t count) {
    found_count = 0;
    if (!symbols) return;
    for (size_t i = 0; i < count && i < CRASH_FRAMES; i++) {
        const struct module *module = module_of(addresses[i]);
        if (!module || strcmp(module->path, executable)) continue;
        found[found_count].frame = i;
        found[found_count].offset = addresses[i] - module->base;
        found[found_count++].symbol = NULL;
    }
    for (size_t s = 0; s < symbol_count; s++) {
        if (ELF64_ST_TYPE(symbols[s].st_info) != STT_FUNC) continue;
        for (size_t i = 0; i < found_count; i++) {
            if (found[i].offset - symbols[s].st_value < symbols[s].st_size) found[i].symbol = symbols + s;
        }
    }
}

void crash_put_symbols(crash_writer *w, size_t count) {
    for (size_t i = 0; i < found_count && found[i].frame < count; i++) {
        const Elf64_Sym *symbol = found[i].symbol;
        if (!symbol || symbol->st_name >= string_bytes) continue;
        crash_put(w, "#");
        crash_put_unsigned(w, found[i].frame, 1);
        crash_put(w, " ");
        crash_put_clean(w, strings + symbol->st_name, strlen(strings + symbol->st_name));
        crash_put(w, "+0x");
        crash_put_hex(w, found[i].offset - symbol->st_value, 1);
        crash_put(w, "\n");
    }
}
