#include "CIPSecMB.h"
