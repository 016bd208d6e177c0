#include "CWebM.h"
