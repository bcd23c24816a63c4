/*
 * The storage seam: what a back-end implements so that tables can live on it.
 *
 * A location is opaque text as metadata records it (design rule 4); each back-end turns it into its
 * own address once. The built-in back-end reads and writes local files (`file:/x`, `file:///x`,
 * `/x`, or a relative path).
 *
 * Thread rule: all members may be called from several threads at once; one frz_input may be read by
 * several threads at once; one frz_output belongs to one thread.
 */
#ifndef FRZ_EXTEND_IO_H
#define FRZ_EXTEND_IO_H

#include <stddef.h>
#include <stdint.h>

#include "frazil/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct frz_io frz_io;
typedef struct frz_input frz_input;
typedef struct frz_output frz_output;

/* How a listing hands over one file; a status other than FRZ_OK stops it and is returned. */
typedef frz_status (*frz_io_list_visit)(void *context, const char *location, uint64_t size,
                                        int64_t modified_ms, frz_error **err);

typedef struct frz_input_ops {
    /* Fills all `size` bytes from `offset` or fails (FRZ_CORRUPT past the end). Safe to retry. */
    frz_status (*read_at)(frz_input *input, uint64_t offset, void *out, size_t size,
                          frz_error **err);
    /* The size of the file, known since it was opened. */
    uint64_t (*size)(const frz_input *input);
    /* Always frees. */
    void (*close)(frz_input *input);
    /* Optional: the bytes in memory, valid until close; NULL when they are not. */
    const uint8_t *(*mapped)(frz_input *input);
} frz_input_ops;

typedef struct frz_output_ops {
    frz_status (*write)(frz_output *output, const void *bytes, size_t size, frz_error **err);
    /* Makes the file durable (contents and its folder entry) and closes; always frees. */
    frz_status (*commit)(frz_output *output, frz_error **err);
    /* Removes what was written; always frees. */
    void (*abort)(frz_output *output);
} frz_output_ops;

typedef struct frz_io_ops {
    /* FRZ_NOT_FOUND when there is no such file. `known_size` UINT64_MAX asks the storage. */
    frz_status (*open)(frz_io *io, const char *location, uint64_t known_size, frz_input **out,
                       frz_error **err);
    /* Makes missing folders. FRZ_ALREADY_EXISTS when the file exists. */
    frz_status (*create)(frz_io *io, const char *location, frz_output **out, frz_error **err);
    /* FRZ_NOT_FOUND when there is no such file. Safe to retry. */
    frz_status (*remove)(frz_io *io, const char *location, frz_error **err);
    /* Size of a file; FRZ_NOT_FOUND when absent. */
    frz_status (*stat)(frz_io *io, const char *location, uint64_t *size_out, frz_error **err);
    /* All files below a folder, in no order; an absent folder is empty. */
    frz_status (*list)(frz_io *io, const char *location, frz_io_list_visit visit, void *context,
                       frz_error **err);
    /* Frees the instance. */
    void (*free)(frz_io *io);
    /* Optional: the location under which this storage really looks (path maps). Two
     * recorded locations name one file when they resolve to one text. Free with frz_text_free. */
    frz_status (*resolve)(frz_io *io, const char *location, char **out, frz_error **err);
} frz_io_ops;

/* Instances begin with these; a back-end's own fields follow. */
struct frz_io {
    const frz_io_ops *ops;
};
struct frz_input {
    const frz_input_ops *ops;
};
struct frz_output {
    const frz_output_ops *ops;
};

#ifdef __cplusplus
}
#endif

#endif
