/*
 * What the readers of CSV and JSON lines share: a file read record by record into batches, and a
 * stream over it whose errors name file, line and column.
 */
#ifndef FRZ_TEXT_SOURCE_H
#define FRZ_TEXT_SOURCE_H

#include "frazil/arrow.h"
#include "frazil/io.h"
#include "text/dialect.h"
#include "text/value.h"
#include "text/window.h"

typedef struct frz_text_source frz_text_source;

/* Appends the row of the record; FRZ_END when the record holds none (a blank line). */
typedef frz_status (*frz_text_read_row)(frz_text_source *source, frz_slice record, frz_error **err);

struct frz_text_source {
    frz_io *own_io;   /* freed with the source; NULL when the caller's */
    frz_input *input; /* closed with the source */
    const char *location;
    frz_text_window window;
    char quote;              /* CSV: line ends between two of them belong to a record */
    frz_csv_dialect dialect; /* CSV */
    bool any_case;           /* names of columns match whatever their case */
    size_t record_start;     /* in the window, of the record being read */
    frz_text_read_row read_row;
    struct ArrowSchema schema; /* of the batches */
    frz_text_column root;
    frz_arrow_builder *builder;
    size_t *targets;    /* CSV: the column of each field */
    size_t field_count; /* CSV */
    int64_t line;       /* 1-based, of the record being read */
    int64_t next_line;
    frz_arena arena;  /* columns, names */
    frz_arena values; /* bytes of values, until the batch is done */
    frz_buffer scratch;
};

/* Opens `location`; `io` NULL = local files. */
FRZ_MUST_CHECK frz_status frz_text_source_new(const char *location, frz_io *io,
                                              frz_text_source **out, frz_error **err);
/* Accepts NULL. */
void frz_text_source_free(frz_text_source *source);

/* The next record; FRZ_END after the last. Sets source->line. */
FRZ_MUST_CHECK frz_status frz_text_source_record(frz_text_source *source, frz_slice *out,
                                                 frz_error **err);

/* The record that was just read is read again. */
void frz_text_source_return(frz_text_source *source);

/* Sets the schema of the batches: the children of `schema` with keep[i] (NULL = all). */
FRZ_MUST_CHECK frz_status frz_text_source_set_schema(frz_text_source *source,
                                                     const struct ArrowSchema *schema,
                                                     const bool *keep, frz_error **err);

/* Prefixes file and line; returns `status`. */
frz_status frz_text_source_context(frz_text_source *source, frz_status status, frz_error **err);

/* Takes `source`, also on failure. */
FRZ_MUST_CHECK frz_status frz_text_source_stream(frz_text_source *source,
                                                 struct ArrowArrayStream *out, frz_error **err);

#endif
