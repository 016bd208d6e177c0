#pragma once
#include <vpx/vp8cx.h>
#include <vpx/vp8dx.h>
#include <vpx/vpx_decoder.h>
#include <vpx/vpx_encoder.h>

// Macros made of other macros, which Swift does not import.
static const int millrace_vpx_encoder_abi_version = VPX_ENCODER_ABI_VERSION;
static const int millrace_vpx_decoder_abi_version = VPX_DECODER_ABI_VERSION;
