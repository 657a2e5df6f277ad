// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds the module to perdix_uapi.h, being client and daemon at once.
 *
 *   contract VIDEO_NODE MEDIA_NODE
 */
#include "client.h"
#include "kernel_daemon.h"
#include "../../codec/av1/v4l2_controls.h"

static int is_ready(unsigned int n)
{
	struct pollfd p = { requests[n % depth], POLLPRI, 0 };

	return poll(&p, 1, 0) == 1;
}

/* Events stay until they are taken whole. */
static void check_reading(void)
{
	struct perdix_event e;

	expect_nothing();
	queue_frame(0);
	e = expect(PERDIX_EVENT_SESSION_NEW);
	CHECK(e.pid == (__u32)getpid());
	CHECK(!strcmp((char *)e.comm, "contract"));
	CHECK(try_event(&e, &payload, 3) == EMSGSIZE);
	CHECK(e.payload_bytes == sizeof(payload.vp9));
	CHECK(try_event(&e, (void *)8, sizeof(payload)) == EFAULT);
	e = expect(PERDIX_EVENT_JOB);
	CHECK(e.payload_bytes == sizeof(payload.vp9));
	CHECK(payload.vp9.record.id == V4L2_CID_STATELESS_VP9_FRAME);
	CHECK(payload.vp9.record.bytes == sizeof(payload.vp9.frame));
	CHECK(payload.vp9.frame.frame_width_minus_1 == 319);
	CHECK(e.job.codec == PERDIX_CODEC_VP9);
	CHECK(e.job.pixelformat == V4L2_PIX_FMT_NV12);
	CHECK(e.job.width == 320 && e.job.height == 240 && e.job.stride == 320);
	CHECK(e.job.bitstream_bytes == 1000 && e.job.references[0] == 0);
	CHECK(complete(e.job.id + 1, 0) == ENOENT);
	CHECK(complete(e.job.id, 0) == 0);
	CHECK(complete(e.job.id, 0) == ENOENT);
	double longest = 0;
	CHECK(collect_frame(0, &longest) == 1);
	expect_nothing();
}

/* Frames 1 to 8: four jobs at a time, done in any order, back in decode order. */
static void check_order(void)
{
	struct perdix_event e[9];
	double longest = 0;
	unsigned int n;

	for (n = 1; n <= 8; n++)
		queue_frame(n);
	for (n = 1; n <= 4; n++)
		e[n] = expect(PERDIX_EVENT_JOB);
	expect_nothing();
	for (n = 2; n <= 4; n++)
		CHECK(e[n].job.references[0] == e[n - 1].job.target);
	CHECK(complete(e[2].job.id, 0) == 0);
	CHECK(!is_ready(2));
	expect_nothing();
	CHECK(complete(e[1].job.id, 0) == 0);
	CHECK(is_ready(1) && is_ready(2) && !is_ready(3));
	for (n = 5; n <= 6; n++)
		e[n] = expect(PERDIX_EVENT_JOB);
	/* 6 fails before 7 is sent, though not yet back: 7 has no reference */
	CHECK(complete(e[6].job.id, 1) == 0);
	for (n = 3; n <= 5; n++)
		CHECK(complete(e[n].job.id, 0) == 0);
	for (n = 7; n <= 8; n++)
		e[n] = expect(PERDIX_EVENT_JOB);
	CHECK(e[7].job.references[0] == 0);
	CHECK(e[8].job.references[0] == e[7].job.target);
	for (n = 7; n <= 8; n++)
		CHECK(complete(e[n].job.id, 0) == 0);
	for (n = 1; n <= 8; n++)
		CHECK(collect_frame(n, &longest) == (n != 6));
}

/* Frame 1 comes back flagged, and frame 2 refers to it all the same. */
static void check_damaged(void)
{
	struct perdix_event first, second;
	double longest = 0;

	queue_frame(1);
	first = expect(PERDIX_EVENT_JOB);
	CHECK(complete(first.job.id, PERDIX_DAMAGED) == 0);
	queue_frame(2);
	second = expect(PERDIX_EVENT_JOB);
	CHECK(second.job.references[0] == first.job.target);
	CHECK(complete(second.job.id, PERDIX_DECODED) == 0);
	CHECK(collect_frame(1, &longest) == 0);
	CHECK(collect_frame(2, &longest) == 1);
}

/* The target of the second frame is what the first refers to. */
static void check_target_is_read(void)
{
	struct perdix_event first, second;
	double longest = 0;

	/* frame 9 refers to 8, in picture 8; frame 10 goes there too */
	queue_frame_to(9, 9);
	queue_frame_to(10, 8);
	first = expect(PERDIX_EVENT_JOB);
	expect_nothing();
	CHECK(complete(first.job.id, 0) == 0);
	second = expect(PERDIX_EVENT_JOB);
	CHECK(second.job.target == first.job.references[0]);
	CHECK(complete(second.job.id, 0) == 0);
	CHECK(collect_frame(9, &longest) && collect_frame(10, &longest));
}

/* Returns the job of frame n, which is decoded. */
static struct perdix_job finish_frame(unsigned int n)
{
	struct perdix_event e = expect(PERDIX_EVENT_JOB);
	double longest = 0;

	CHECK(complete(e.job.id, 0) == 0);
	CHECK(collect_frame(n, &longest) == 1);
	return e.job;
}

/*
 * Nanoseconds need more than 32 bits after 4.3 s: 2^29 us later the lower ones
 * are the same. The first of the late frames refers to one that there is not.
 */
#define LATE (1u << 29)

static void check_late_timestamps(void)
{
	struct perdix_job job;

	queue_frame_to(11, 11);
	finish_frame(11);
	queue_frame_to(LATE + 12, 0);
	job = finish_frame(LATE + 12);
	CHECK(job.references[0] == 0);
	CHECK(job.timestamp == (LATE + 12) * 1000ull);
	queue_frame_to(LATE + 13, 1);
	CHECK(finish_frame(LATE + 13).references[0] == job.target);
}

/* Bad buffers of a request get the errors that V4L2's specification names. */
static void check_refused_buffers(void)
{
	struct v4l2_plane plane = { .bytesused = 1000, .data_offset = 64 };
	struct v4l2_buffer b = { .type = OUT, .index = 7, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane,
				 .flags = V4L2_BUF_FLAG_REQUEST_FD,
				 .request_fd = requests[7] };

	/* a job's bitstream begins where its buffer does */
	CHECK(ioctl(video, VIDIOC_QBUF, &b) && errno == EINVAL);

	/* a buffer without the control that describes its frame */
	plane.data_offset = 0;
	CHECK(ioctl(video, VIDIOC_QBUF, &b) == 0);
	CHECK(ioctl(requests[7], MEDIA_REQUEST_IOC_QUEUE) && errno == ENOENT);
	CHECK(ioctl(requests[7], MEDIA_REQUEST_IOC_REINIT) == 0);
}

static __u32 flags_of_picture(unsigned int index)
{
	struct v4l2_plane plane = {};
	struct v4l2_buffer b = { .type = CAP, .index = index, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane };

	CHECK(ioctl(video, VIDIOC_QUERYBUF, &b) == 0);
	return b.flags;
}

/* The flag is about the client: the daemon maps every buffer. */
static void check_not_mapped(void)
{
	struct v4l2_exportbuffer eb = { .type = CAP, .index = 11, .flags = O_RDWR };
	struct perdix_buffer_fd target = {};

	queue_frame_to(LATE + 30, 11);
	target.buffer = finish_frame(LATE + 30).target;
	CHECK(ioctl(channel, PERDIX_IOC_BUFFER_FD, &target) == 0);
	CHECK(!(flags_of_picture(11) & V4L2_BUF_FLAG_MAPPED));
	CHECK(ioctl(video, VIDIOC_EXPBUF, &eb) == 0);
	CHECK(flags_of_picture(11) & V4L2_BUF_FLAG_MAPPED);
	close(eb.fd);
	close(target.fd);
}

static void restart_streams(void)
{
	int type;

	for (type = OUT; type; type = type == OUT ? CAP : 0)
		must("STREAMOFF", ioctl(video, VIDIOC_STREAMOFF, &type));
	for (type = OUT; type; type = type == OUT ? CAP : 0)
		must("STREAMON", ioctl(video, VIDIOC_STREAMON, &type));
}

/* Where two pictures have one timestamp, the later one is meant. */
static void check_same_timestamp(void)
{
	struct perdix_job job;

	queue_frame_to(LATE + 20, 11);
	finish_frame(LATE + 20);
	queue_frame_to(LATE + 20, 0);
	job = finish_frame(LATE + 20);
	queue_frame_to(LATE + 21, 1);
	CHECK(finish_frame(LATE + 21).references[0] == job.target);
	queue_frame_to(LATE + 20, 11);
	job = finish_frame(LATE + 20);
	queue_frame_to(LATE + 21, 1);
	CHECK(finish_frame(LATE + 21).references[0] == job.target);
}

/* STREAMOFF forgets timestamps, like vb2: a client may begin them anew. */
static void check_streamoff_forgets(void)
{
	queue_frame_to(LATE + 30, 11);
	finish_frame(LATE + 30);
	restart_streams();
	queue_frame_to(LATE + 31, 0);
	CHECK(finish_frame(LATE + 31).references[0] == 0);
}

/* What the client takes back is cancelled, then its buffers go, then it. */
static void check_end(void)
{
	struct perdix_event job;
	struct perdix_buffer_fd target = {}, reference = {};

	queue_frame_to(LATE + 32, 11);
	queue_frame_to(LATE + 33, 1);
	job = expect(PERDIX_EVENT_JOB);		/* the second stays unread */
	target.buffer = job.job.target;
	CHECK(ioctl(channel, PERDIX_IOC_BUFFER_FD, &target) == 0);
	CHECK(target.size >= 320 * 240 * 3 / 2);
	CHECK(mmap(NULL, target.size, PROT_WRITE, MAP_SHARED, target.fd, 0) != MAP_FAILED);
	close(target.fd);
	close(video);
	CHECK(expect(PERDIX_EVENT_CANCEL).job.id == job.job.id);
	CHECK(complete(job.job.id, 0) == ENOENT);
	CHECK(expect(PERDIX_EVENT_BUFFER_GONE).buffer == target.buffer);
	CHECK(expect(PERDIX_EVENT_SESSION_GONE).session == job.session);
	expect_nothing();
	reference.buffer = job.job.references[0];
	CHECK(ioctl(channel, PERDIX_IOC_BUFFER_FD, &reference) && errno == ENOENT);
}

/* What the last daemon had returns at once; the next is told all anew. */
static void check_death(void)
{
	struct perdix_event old, new;
	double longest = 0;

	queue_frame(0);
	expect(PERDIX_EVENT_SESSION_NEW);
	old = expect(PERDIX_EVENT_JOB);
	close(channel);
	CHECK(is_ready(0));
	CHECK(collect_frame(0, &longest) == 0);
	queue_frame(1);
	open_channel();
	CHECK(expect(PERDIX_EVENT_SESSION_NEW).session == old.session);
	new = expect(PERDIX_EVENT_JOB);
	CHECK(new.job.references[0] == 0);
	CHECK(complete(old.job.id, 0) == ENOENT);
	CHECK(complete(new.job.id, 0) == 0);
	CHECK(collect_frame(1, &longest) == 1);
}

/* Who opens the channel and says nothing is no daemon. */
static void check_onlooker(void)
{
	int onlooker = open("/dev/perdix", O_RDWR | O_NONBLOCK);
	__u32 version = PERDIX_API_VERSION;
	struct perdix_complete c = {};
	struct perdix_event job;
	double longest = 0;

	CHECK(onlooker < 0 && errno == EBUSY);
	close(channel);
	onlooker = open("/dev/perdix", O_RDWR | O_NONBLOCK);
	CHECK(onlooker >= 0);
	open_channel();
	CHECK(ioctl(onlooker, PERDIX_IOC_HELLO, &version) && errno == EBUSY);
	queue_frame(3);
	expect(PERDIX_EVENT_SESSION_NEW);
	job = expect(PERDIX_EVENT_JOB);
	c.job = job.job.id;
	CHECK(ioctl(onlooker, PERDIX_IOC_COMPLETE, &c) && errno == EPROTO);
	close(onlooker);
	CHECK(!is_ready(3));
	CHECK(complete(job.job.id, 0) == 0);
	CHECK(collect_frame(3, &longest) == 1);
}

/* The kernel suspends: the time that a machine sleeps is nobody's fault. */
static void check_suspend(void)
{
	struct perdix_event e;
	double longest = 0;
	int test = open("/sys/power/pm_test", O_WRONLY), state;

	if (test < 0 || write(test, "freezer", 7) != 7) {
		puts("contract: suspend is not tested: no /sys/power/pm_test");
		return;
	}
	queue_frame(2);
	e = expect(PERDIX_EVENT_JOB);
	state = open("/sys/power/state", O_WRONLY);
	CHECK(state >= 0 && write(state, "freeze", 6) == 6);	/* 5 s */
	close(state);
	close(test);
	usleep(100000);
	CHECK(complete(e.job.id, 0) == 0);
	CHECK(collect_frame(2, &longest) == 1);
}

/* Controls of one file and the buffer of another make no frame. */
static void check_two_files(const char *video_node)
{
	struct v4l2_ctrl_vp9_frame frame = {
		.bit_depth = 8,
		.flags = V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING |
			 V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING,
	};
	struct v4l2_ext_control control = {
		.id = V4L2_CID_STATELESS_VP9_FRAME,
		.size = sizeof(frame), .ptr = &frame,
	};
	struct v4l2_ext_controls controls = {
		.which = V4L2_CTRL_WHICH_REQUEST_VAL, .count = 1,
		.request_fd = requests[3], .controls = &control,
	};
	struct v4l2_plane plane = { .bytesused = 1000 };
	struct v4l2_buffer b = { .type = OUT, .index = 3, .length = 1,
				 .memory = V4L2_MEMORY_MMAP, .m.planes = &plane,
				 .flags = V4L2_BUF_FLAG_REQUEST_FD,
				 .request_fd = requests[3] };
	int other = open(video_node, O_RDWR);

	CHECK(ioctl(other, VIDIOC_S_EXT_CTRLS, &controls) == 0);
	CHECK(ioctl(video, VIDIOC_QBUF, &b) == 0);
	CHECK(ioctl(requests[3], MEDIA_REQUEST_IOC_QUEUE) && errno == EINVAL);
	expect_nothing();
	close(other);
}

/*
 * Frame n of AV1, which refers to what is in slots 3 and 7 and, like an empty
 * slot, to frame 0 from all others. Entries of tiles: as many as are sent.
 */
static void queue_av1(unsigned int n, enum v4l2_av1_frame_type type, __u64 slot3,
		      __u64 slot7, unsigned int tiles)
{
	struct v4l2_ctrl_av1_sequence sequence = {
		.bit_depth = 8,
		.flags = V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X |
			 V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y,
	};
	struct v4l2_ctrl_av1_tile_group_entry entries[V4L2_AV1_MAX_TILE_COUNT] = {};
	struct v4l2_ctrl_av1_film_grain grain = {};
	struct v4l2_ctrl_av1_frame frame = {
		.frame_type = type,
		.ref_frame_idx = { 3, 3, 3, 3, 3, 3, 7 },
		.reference_frame_ts[3] = slot3,
		.reference_frame_ts[7] = slot7,
	};
	struct v4l2_ext_control values[] = {
		{ V4L2_CID_STATELESS_AV1_SEQUENCE, sizeof(sequence), {}, { .ptr = &sequence } },
		{ V4L2_CID_STATELESS_AV1_FRAME, sizeof(frame), {}, { .ptr = &frame } },
		{ V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY, tiles * sizeof(*entries), {},
		  { .ptr = entries } },
		{ V4L2_CID_STATELESS_AV1_FILM_GRAIN, sizeof(grain), {}, { .ptr = &grain } },
	};

	queue_request(n, n, values, 4);
}

/* Bytes of the value in the payload of the last event; -1: it is not there. */
static int payload_value(__u32 payload_bytes, __u32 id)
{
	const struct perdix_control *control;
	__u32 at = 0;

	for (; at < payload_bytes; at += sizeof(*control) + (control->bytes + 7) / 8 * 8) {
		control = (const void *)(payload.room + at);
		if (control->id == id)
			return control->bytes;
	}
	return -1;
}

/* Eight slots, of which seven names pick some; every tile that was sent. */
static void check_av1(const char *video_node, const char *media_node)
{
	struct perdix_event key, e;
	double longest = 0;

	coded_format = V4L2_PIX_FMT_AV1_FRAME;
	open_node(video_node, media_node);
	queue_av1(0, V4L2_AV1_KEY_FRAME, 0, 0, 1);
	expect(PERDIX_EVENT_SESSION_NEW);
	key = expect(PERDIX_EVENT_JOB);
	CHECK(key.job.codec == PERDIX_CODEC_AV1 && key.job.references[0] == 0);
	CHECK(payload_value(key.payload_bytes, V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY) == 16);
	CHECK(complete(key.job.id, 0) == 0);
	CHECK(collect_frame(0, &longest) == 1);

	/* slot 0 has the key frame's timestamp, but nothing names it */
	queue_av1(1, V4L2_AV1_INTER_FRAME, 0, ~0ull, V4L2_AV1_MAX_TILE_COUNT);
	e = expect(PERDIX_EVENT_JOB);
	CHECK(payload_value(e.payload_bytes, V4L2_CID_STATELESS_AV1_SEQUENCE) ==
	      sizeof(struct v4l2_ctrl_av1_sequence));
	CHECK(payload_value(e.payload_bytes, V4L2_CID_STATELESS_AV1_FRAME) ==
	      sizeof(struct v4l2_ctrl_av1_frame));
	CHECK(payload_value(e.payload_bytes, V4L2_CID_STATELESS_AV1_FILM_GRAIN) ==
	      sizeof(struct v4l2_ctrl_av1_film_grain));
	CHECK(payload_value(e.payload_bytes, V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY) ==
	      16 * V4L2_AV1_MAX_TILE_COUNT);
	CHECK(e.job.references[3] == key.job.target);
	CHECK(e.job.references[0] == 0 && e.job.references[7] == 0);
	CHECK(complete(e.job.id, 0) == 0);
	CHECK(collect_frame(1, &longest) == 1);

	/* intra frames refer to nothing, whatever is in the slots */
	queue_av1(2, V4L2_AV1_INTRA_ONLY_FRAME, 0, 1000, 1);
	e = expect(PERDIX_EVENT_JOB);
	CHECK(e.job.references[3] == 0 && e.job.references[7] == 0);
	CHECK(complete(e.job.id, 0) == 0);
	CHECK(collect_frame(2, &longest) == 1);

	close(video);
	while (try_event(&e, &payload, sizeof(payload)) == 0 &&
	       e.type != PERDIX_EVENT_SESSION_GONE)
		CHECK(e.type == PERDIX_EVENT_BUFFER_GONE);
	CHECK(e.type == PERDIX_EVENT_SESSION_GONE);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	depth = 8;
	open_channel();
	open_node(argv[1], argv[2]);
	check_reading();
	check_order();
	check_damaged();
	check_target_is_read();
	check_late_timestamps();
	check_same_timestamp();
	check_streamoff_forgets();
	check_refused_buffers();
	check_not_mapped();
	check_end();
	check_av1(argv[1], argv[2]);
	coded_format = V4L2_PIX_FMT_VP9_FRAME;
	open_node(argv[1], argv[2]);
	check_death();
	check_onlooker();
	check_suspend();
	check_two_files(argv[1]);
	return 0;
}
