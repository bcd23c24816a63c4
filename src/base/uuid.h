/*
 * UUIDs as 16 bytes in text order: random (version 4), printed and parsed.
 */
#ifndef FRZ_BASE_UUID_H
#define FRZ_BASE_UUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRZ_UUID_TEXT_SIZE = 37 };

typedef struct frz_uuid {
    uint8_t bytes[16];
} frz_uuid;

/* From base/random.h's source; see there for failures (none: it falls back to clock and process
 * id). */
frz_uuid frz_uuid_random(void);
void frz_uuid_print(const frz_uuid *uuid, char out[FRZ_UUID_TEXT_SIZE]);

/* 8-4-4-4-12 hexadecimal digits of any case. */
bool frz_uuid_parse(const char *text, size_t size, frz_uuid *out);

#endif
