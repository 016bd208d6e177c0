#pragma once
#include <aom/aom_encoder.h>
#include <aom/aomcx.h>

// Macros made of other macros, which Swift does not import.
static const int millrace_aom_encoder_abi_version = AOM_ENCODER_ABI_VERSION;

// A function with variable arguments, which Swift does not import.
static inline aom_codec_err_t millrace_aom_set(aom_codec_ctx_t *context, int control, int value) {
    return aom_codec_control(context, control, value);
}
