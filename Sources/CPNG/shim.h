#pragma once
#include <png.h>
#include <stdlib.h>
#include <string.h>

// libpng's simplified writer. Its error path is a return value, so no longjmp crosses Swift frames.
// Writes 8-bit RGB rows to memory that the caller frees with `free`. Returns 1, or 0 with the reason in `message`
// (64 bytes).
static inline int millrace_png_write(const unsigned char *rgb, unsigned width, unsigned height, int fast,
                                     unsigned char **out, size_t *out_size, char message[64]) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    if (fast) image.flags |= PNG_IMAGE_FLAG_FAST;
    *out = NULL;
    *out_size = 0;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    unsigned char *memory = (unsigned char *)malloc(size);
    if (!memory) {
        memcpy(message, "out of memory", 14);
        return 0;
    }
    if (!png_image_write_to_memory(&image, memory, &size, 0, rgb, 0, NULL)) {
        memcpy(message, image.message, 64);
        png_image_free(&image);
        free(memory);
        return 0;
    }
    *out = memory;
    *out_size = size;
    return 1;
}
