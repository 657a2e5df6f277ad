// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions that the daemon has not read of close while the daemon ends. Two
 * processes: one opens the channel and closes it, the other has sessions with a
 * frame each and closes them meanwhile. Every other round both share a CPU, with
 * the client in front: where the kernel may leave the daemon in the middle of its
 * end, the client comes in between.
 *
 *   unread VIDEO_NODE MEDIA_NODE SECONDS
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "client.h"
#include "../../v4l2/perdix_uapi.h"

#define SESSIONS 16

/* Which round it is: the client's when odd, else the daemon's. -1: over. */
static _Atomic int *round;

static void run_on(int cpu, int policy, int priority)
{
	struct sched_param p = { .sched_priority = priority };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_setscheduler(0, policy, &p);
}

static int open_channel(void)
{
	__u32 version = PERDIX_API_VERSION;
	int channel = open("/dev/perdix", O_RDWR);

	must("/dev/perdix", channel);
	must("HELLO", ioctl(channel, PERDIX_IOC_HELLO, &version));
	return channel;
}

/* Ends at some moment after the client has queued its frames. */
static void be_daemon(void)
{
	int channel, mine;

	run_on(0, SCHED_OTHER, 0);
	while ((mine = atomic_load(round)) >= 0) {
		if (mine % 2) {
			sched_yield();
			continue;
		}
		channel = open_channel();
		if (atomic_compare_exchange_strong(round, &mine, mine + 1))
			while (atomic_load(round) == mine + 1)
				sched_yield();
		close(channel);
	}
	exit(0);
}

/* One frame, whose request and media node close with it. */
static int open_session(const char *video_node, const char *media_node)
{
	open_node(video_node, media_node);
	queue_frame_to(0, 0);
	close(requests[0]);
	close(media);
	return video;
}

static void be_client(char **nodes, int mine)
{
	struct timespec moment = { .tv_nsec = rand() % 300000 };
	int sessions[SESSIONS], i;

	run_on(mine / 2, SCHED_OTHER, 0);
	for (i = 0; i < SESSIONS; i++)
		sessions[i] = open_session(nodes[1], nodes[2]);
	run_on(mine / 2, SCHED_FIFO, 1);
	atomic_store(round, mine + 1);
	nanosleep(&moment, NULL);
	for (i = SESSIONS; i-- > 0;)
		close(sessions[i]);
}

int main(int argc, char **argv)
{
	time_t end;
	int mine, rounds = 0;

	if (argc != 4)
		return 2;
	depth = 1;
	end = time(NULL) + atoi(argv[3]);
	round = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!fork())
		be_daemon();
	while (time(NULL) < end) {
		mine = atomic_load(round);
		if (mine % 2 == 0) {
			usleep(100);
			continue;
		}
		be_client(argv, mine);
		rounds++;
	}
	atomic_store(round, -1);
	wait(NULL);
	printf("unread: %d rounds\n", rounds);
	return rounds == 0;
}
