#include "CLinuxNet.h"
