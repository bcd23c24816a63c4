#include "avro/bytes.h"

bool frz_avro_read_long_slow(frz_avro_bytes *in, int64_t *out)
{
    const uint8_t *p = in->p;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (p == in->end)
            return frz_avro_note(in, FRZ_AVRO_FAULT_ENDS, 0);
        const uint8_t byte = *p++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            in->p = p;
            *out = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
            return true;
        }
    }
    return frz_avro_note(in, FRZ_AVRO_FAULT_VARINT, 0);
}

bool frz_avro_read_block(frz_avro_bytes *in, size_t item_size_min, uint64_t *count_out,
                         size_t *size_out)
{
    const uint8_t *start = in->p;
    int64_t count = 0;
    int64_t size = 0;
    size_t room = 0;
    if (!frz_avro_read_long(in, &count))
        return false;
    const bool sized = count < 0;
    if (sized && !frz_avro_read_long(in, &size))
        return false;
    if (size < 0 || (uint64_t)size > frz_avro_left(in)) {
        in->p = start;
        return frz_avro_note(in, FRZ_AVRO_FAULT_LENGTH, size);
    }
    room = sized ? (size_t)size : frz_avro_left(in);
    const uint64_t items = sized ? -(uint64_t)count : (uint64_t)count;
    if (item_size_min && items > room / item_size_min) {
        in->p = start;
        return frz_avro_note(in, FRZ_AVRO_FAULT_COUNT, count);
    }
    *count_out = items;
    *size_out = sized ? room : SIZE_MAX;
    return true;
}
