/*
 * How structs of options are set up (frazil/frazil.h), in C and in C++:
 *
 *     frz_scan_options options = FRZ_SCAN_OPTIONS_INIT;
 */
#ifndef FRZ_OPTIONS_H
#define FRZ_OPTIONS_H

/* clang-format off */
#ifdef __cplusplus
template <typename options> inline options frz_options_init()
{
    options made = options();
    made.struct_size = sizeof(options);
    return made;
}
#define FRZ_OPTIONS_INIT(type) frz_options_init<type>()
#else
#define FRZ_OPTIONS_INIT(type) {.struct_size = sizeof(type)}
#endif
/* clang-format on */

#endif
