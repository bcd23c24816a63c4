#include "frazil/frazil.h"

#include "base/mem.h"

const char *frz_version(void)
{
    return FRZ_VERSION;
}

void frz_text_free(char *text)
{
    frz_free(text);
}
