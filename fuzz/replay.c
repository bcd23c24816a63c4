/*
 * Runs a fuzz target over files and over the files of folders, without libFuzzer: corpora are tests
 * everywhere. Each input stands in memory of exactly its size, so that sanitizers see one byte too
 * far.
 */
#include <dirent.h>
#include <stdio.h>

#include "target.h"

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return -1;
    const long size = ftell(file);
    uint8_t *bytes = size < 0 ? NULL : malloc((size_t)size ? (size_t)size : 1);
    rewind(file);
    const int good = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    if (good)
        (void)LLVMFuzzerTestOneInput(bytes, (size_t)size);
    free(bytes);
    return fclose(file) == 0 && good ? 1 : -1;
}

static int replay_folder(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    if (!dir)
        return replay_file(folder);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const int ran = replay_file(path);
        if (ran < 0) {
            (void)fprintf(stderr, "cannot read %s\n", path);
            (void)closedir(dir);
            return -1;
        }
        count += ran;
    }
    (void)closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        const int ran = replay_folder(argv[i]);
        if (ran <= 0) {
            (void)fprintf(stderr, "nothing to replay in %s\n", argv[i]);
            return 1;
        }
        count += ran;
    }
    (void)printf("%d inputs\n", count);
    return count == 0;
}
