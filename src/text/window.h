/*
 * A window that moves over a file, so that text of any size is read in bounded memory: the record
 * being read is always whole inside it.
 */
#ifndef FRZ_TEXT_WINDOW_H
#define FRZ_TEXT_WINDOW_H

#include "base/buffer.h"
#include "frazil/extend/io.h"

/* The largest CSV record or JSON line that is read. */
enum { FRZ_TEXT_RECORD_SIZE_MAX = 64 * 1024 * 1024 };

typedef struct frz_text_window {
    frz_input *input; /* borrowed */
    uint64_t offset;  /* of the next byte to load */
    frz_buffer bytes;
    size_t pos; /* bytes before it are done with */
} frz_text_window;

/* Loads more behind what is there; *more_out is false at the end of the file. FRZ_UNSUPPORTED when
 * the record exceeds the limit. */
FRZ_MUST_CHECK frz_status frz_text_window_load(frz_text_window *window, bool *more_out,
                                               frz_error **err);

/*
 * The next record without its line end, which LF, CRLF or the end of the file are; FRZ_END when
 * there is none. With `quote` (0: none), line ends between two of them belong to the record.
 * *line_count_out counts the line ends it took. Borrowed until the next call.
 */
FRZ_MUST_CHECK frz_status frz_text_window_record(frz_text_window *window, char quote,
                                                 frz_slice *out, int64_t *line_count_out,
                                                 frz_error **err);

void frz_text_window_clear(frz_text_window *window);

#endif
