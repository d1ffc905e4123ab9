/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz_target.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Runs a fuzz target on every file named on the command line, or in a folder named there, without
 * libFuzzer. Each input lies in a block of exactly its size, so that a sanitizer or Valgrind sees
 * the first byte read beyond it.
 */

static int replay_bytes(FILE *file, size_t size)
{
    uint8_t *data = malloc(size > 0 ? size : 1);
    int rc = -ENOMEM;

    if (data) {
        rc = fread(data, 1, size, file) == size ? 0 : -EIO;
        if (rc == 0)
            (void)LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    return rc;
}

static int replay_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    int rc = file && fstat(fileno(file), &info) == 0 ? 0 : -errno;

    if (rc == 0)
        rc = replay_bytes(file, (size_t)info.st_size);
    if (rc < 0)
        fprintf(stderr, "%s: %s\n", path, strerror(-rc));
    if (file)
        fclose(file);
    return rc;
}

/* Returns how many files were replayed, or a negative code. */
static int replay_folder(DIR *folder, const char *path)
{
    char name[4096];
    const struct dirent *entry;
    int count = 0;

    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= (int)sizeof name)
            return -ENAMETOOLONG;
        int rc = replay_file(name);
        if (rc < 0)
            return rc;
        count++;
    }
    return count;
}

static int replay(const char *path)
{
    DIR *folder = opendir(path);

    if (!folder)
        return replay_file(path) < 0 ? -1 : 1;
    int count = replay_folder(folder, path);

    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int total = 0;

    for (int i = 1; i < argc; i++) {
        int count = replay(argv[i]);
        if (count < 0)
            return EXIT_FAILURE;
        total += count;
    }
    printf("%d inputs replayed\n", total);
    return total > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
