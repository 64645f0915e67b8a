/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/intake.h"

/* The connection's own buffer is smaller than this. */
#define OVERHANG_BYTES (1u << 20)

void intake_init(struct intake *intake, const struct http_receiver *receiver)
{
	*intake = (struct intake){.receiver = receiver};
	bytes_writer_init(&intake->piece, INTAKE_PIECE_BYTES + OVERHANG_BYTES);
}

void intake_done(struct intake *intake)
{
	if (intake->upload)
		intake->receiver->close(intake->upload);
	bytes_writer_done(&intake->piece);
	*intake = (struct intake){.receiver = NULL};
}

bool intake_fill(struct intake *intake, const void *bytes, size_t byte_count)
{
	if (intake->over)
		return false;
	bytes_write_span(&intake->piece, bytes, byte_count);
	return bytes_writer_fault(&intake->piece) < 0 ||
		intake->piece.byte_count >= INTAKE_PIECE_BYTES;
}

static void write_piece(
	struct intake *intake, const struct intake_place *place, struct http_answer *answer)
{
	if (bytes_writer_fault(&intake->piece) < 0) {
		http_answer_error(answer, 503, "out of memory; try again later");
		intake->over = true;
		return;
	}
	if (!intake->upload)
		intake->upload = intake->receiver->open(place->context, place->request, answer);
	intake->over = !intake->upload ||
		(intake->piece.byte_count > 0 &&
			!intake->receiver->write(intake->upload, intake->piece.bytes,
				intake->piece.byte_count, answer));
	bytes_writer_reset(&intake->piece);
}

void intake_step(
	struct intake *intake, const struct intake_place *place, struct http_answer *answer)
{
	if (!intake->over)
		write_piece(intake, place, answer);
	if (!intake->over && intake->ended) {
		intake->waiting = !intake->receiver->finish(intake->upload, &place->later, answer);
		intake->over = true;
	}
	if (intake->over && intake->upload && !intake->waiting) {
		intake->receiver->close(intake->upload);
		intake->upload = NULL;
	}
}
