/* Where the GPU time goes. */
#include "ledger.h"
