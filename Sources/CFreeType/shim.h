#pragma once
#include <ft2build.h>
#include FT_FREETYPE_H

// A macro made of casts, which Swift does not import: an anti-aliased bitmap with 8 bits per pixel.
static const FT_Int32 millrace_freetype_render = FT_LOAD_RENDER | FT_LOAD_TARGET_NORMAL;
