/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* copy_file_range */
#include "elf/file_update.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output_file.h"

#define COPY_CHUNK_BYTES ((size_t)1 << 20)
#define ACCESS_LIST	 "system.posix_acl_access"
#define CAPABILITY	 "security.capability"
#define CAPABILITY_BYTES 64	/* no version of it is larger than 24 bytes */

/* ---- in place ---- */

/* No errno: the file is shorter by now. */
static const char *text_of(int cause)
{
	return cause ? strerror(cause) : "it was cut off";
}

static bool undo_append(const struct held_file *file, int cause, struct error *err)
{
	bool cut = ftruncate(file->fd, file->status.st_size) == 0;

	return error_at(err, file->path, "cannot write: %s; it was left as it was%s; %s",
			strerror(cause), cut ? "" : " but for unused bytes at its end",
			output_hint(cause));
}

static bool append_and_flip(const struct held_file *file, const struct file_update *update,
			    struct error *err)
{
	const struct file_patch *flip = &update->flip;
	char old[FILE_FLIP_BYTES];
	int cause;

	if (!held_file_read(file, old, flip->offset, flip->bytes))
		return error_at(err, file->path, "cannot read: %s; it was left as it was; %s",
				text_of(errno), output_hint(errno));
	/* A header that arrives before what it refers to would be a damaged file. */
	if (!output_put(file->fd, update->tail, update->tail_bytes, file->bytes) ||
	    !output_arrived(file->fd))
		return undo_append(file, errno, err);
	if (output_put(file->fd, flip->data, flip->bytes, flip->offset) && output_arrived(file->fd))
		return true;
	/*
	 * The new header may or may not be there. The tail must stay until the old one certainly
	 * is: a header that refers to nothing would be neither the old file nor the new one.
	 */
	cause = errno;
	if (output_put(file->fd, old, flip->bytes, flip->offset) && output_arrived(file->fd))
		return undo_append(file, cause, err);
	return error_at(err, file->path,
			"cannot write its header: %s; it is either the old or the new file; %s",
			strerror(cause), output_hint(cause));
}

static bool update_in_place(const struct held_file *file, const struct file_update *update,
			    struct error *err)
{
	sigset_t all, before;
	bool good;

	assert(update->patch_count == 0);
	assert(update->flip.offset + update->flip.bytes <= FILE_FLIP_BYTES);
	/* Those of this thread; commands/cmd_encode.c has blocked three in the others. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	good = append_and_flip(file, update, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good;
}

/* ---- by a copy ---- */

static bool copy_by_hand(const struct held_file *from, int to, uint64_t offset)
{
	char *chunk = memory_alloc(COPY_CHUNK_BYTES);
	bool good = true;

	while (good && offset < from->bytes) {
		uint64_t left = from->bytes - offset;
		size_t bytes = left < COPY_CHUNK_BYTES ? (size_t)left : COPY_CHUNK_BYTES;

		good = held_file_read(from, chunk, offset, bytes) &&
		       output_put(to, chunk, bytes, offset);
		offset += bytes;
	}
	free(chunk);
	return good;
}

/* Lets the kernel copy or share the blocks; what it will not do for these files is done by hand. */
static bool copy_contents(const struct held_file *from, int to)
{
	off_t from_at = 0, to_at = 0;

	while ((uint64_t)from_at < from->bytes) {
		ssize_t done = copy_file_range(from->fd, &from_at, to, &to_at,
					       (size_t)(from->bytes - (uint64_t)from_at), 0);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
			return false;
		if (done <= 0)
			return copy_by_hand(from, to, (uint64_t)from_at);
	}
	return true;
}

/*
 * Access lists, labels. What this user may not set is left out, like cp does, but for an access
 * list: without it the permissions mean others. IMA's and EVM's are hashes of the old contents.
 */
static bool copy_attributes(int from, int to)
{
	ssize_t list_bytes = flistxattr(from, NULL, 0);
	bool good = true;
	char *list;

	if (list_bytes <= 0)
		return true;
	list = memory_alloc((size_t)list_bytes);
	list_bytes = flistxattr(from, list, (size_t)list_bytes);
	for (const char *name = list; name < list + list_bytes; name += strlen(name) + 1) {
		ssize_t bytes = fgetxattr(from, name, NULL, 0);
		char *value;

		if (bytes < 0 || strcmp(name, "security.ima") == 0 ||
		    strcmp(name, "security.evm") == 0 || strcmp(name, CAPABILITY) == 0)
			continue;
		value = memory_alloc((size_t)bytes + 1);
		bytes = fgetxattr(from, name, value, (size_t)bytes);
		if (bytes >= 0 && fsetxattr(to, name, value, (size_t)bytes, 0) != 0)
			good &= strcmp(name, ACCESS_LIST) != 0;
		free(value);
	}
	free(list);
	return good;
}

/*
 * The kernel takes set-ID bits and capabilities with each write by another user than root. So the
 * copy gets those that the file still has when its last byte has been read; and it has them before
 * anybody but its owner may write to it. A change of the owner takes them, too.
 */
static bool copy_owner_and_mode(int from, int to)
{
	struct stat st, now;
	char capability[CAPABILITY_BYTES];
	ssize_t bytes = fgetxattr(from, CAPABILITY, capability, sizeof(capability));

	if (fstat(from, &st) != 0 || fstat(to, &now) != 0)
		return false;
	if ((now.st_uid != st.st_uid || now.st_gid != st.st_gid) &&
	    fchown(to, st.st_uid, st.st_gid) != 0)
		return false;
	/* The folder may have given it one, of which fchmod() would set the mask. */
	if (fremovexattr(to, ACCESS_LIST) != 0 && errno != ENODATA && errno != EOPNOTSUPP)
		return false;
	if ((bytes > 0 && fsetxattr(to, CAPABILITY, capability, (size_t)bytes, 0) != 0) ||
	    fchmod(to, st.st_mode & 07700) != 0)
		return false;
	if (!copy_attributes(from, to) ||
	    (fgetxattr(to, ACCESS_LIST, NULL, 0) < 0 && fchmod(to, st.st_mode & 07777) != 0))
		return false;
	/* Of a group that this user is not in the bit is left out, which is no error. */
	errno = EPERM;
	return fstat(to, &now) == 0 && now.st_mode == st.st_mode;
}

static bool fill_copy(const struct held_file *file, const struct file_update *update, int to,
		      struct error *err)
{
	const struct file_patch *flip = &update->flip;
	bool good = copy_contents(file, to);

	for (size_t i = 0; good && i < update->patch_count; i++)
		good = output_put(to, update->patches[i].data, update->patches[i].bytes,
				update->patches[i].offset);
	if (!good || !output_put(to, update->tail, update->tail_bytes, file->bytes) ||
	    !output_put(to, flip->data, flip->bytes, flip->offset) || !output_arrived(to))
		return error_at(err, file->path,
				"cannot write a copy next to it: %s; it was left as it was; %s",
				text_of(errno), output_hint(errno));
	if (!copy_owner_and_mode(file->fd, to))
		return error_at(err, file->path,
				"cannot give a copy its owner, mode and capabilities: %s; it was "
				"left as it was; %s", strerror(errno),
				errno == EPERM ? "run as root" : output_hint(errno));
	return true;
}

static bool update_by_copy(const struct held_file *file, const struct file_update *update,
			   struct error *err)
{
	struct output_file copy;

	if (file->status.st_nlink > 1)
		return error_at(err, file->path,
				"has %ju names (hard links), and can only be changed in a copy, "
				"which would have one name: %s; it was left as it is; remove the "
				"other names", (uintmax_t)file->status.st_nlink,
				update->patch_count ? "bytes in use change"
						    : "it has set-ID bits or capabilities");
	if (!output_file_begin(&copy, file->path, err))
		return false;
	if (fill_copy(file, update, copy.fd, err))
		return output_file_commit(&copy, err);
	output_file_abandon(&copy);
	return false;
}

bool file_update(const struct held_file *file, const struct file_update *update,
		 struct error *err)
{
	bool is_privileged = file->status.st_mode & (S_ISUID | S_ISGID) ||
			     fgetxattr(file->fd, CAPABILITY, NULL, 0) > 0;

	return update->patch_count || is_privileged ? update_by_copy(file, update, err)
						    : update_in_place(file, update, err);
}
