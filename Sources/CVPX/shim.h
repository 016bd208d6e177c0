#pragma once
#include <vpx/vpx_encoder.h>
