#pragma once
#include <dav1d/dav1d.h>

// Macros with an argument, which Swift does not import.
static const int millrace_dav1d_again = DAV1D_ERR(EAGAIN);
static const int millrace_dav1d_no_memory = DAV1D_ERR(ENOMEM);
