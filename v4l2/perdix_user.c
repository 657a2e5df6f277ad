// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one user may take of the machine: sessions and buffer memory. A user is
 * whoever opened the node, by uid; those with CAP_SYS_RESOURCE have no bounds.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include "perdix.h"

static unsigned int user_sessions = 128;
module_param(user_sessions, uint, 0644);
MODULE_PARM_DESC(user_sessions, "sessions that one user may have open (128)");

static unsigned int user_mib;
module_param(user_mib, uint, 0644);
MODULE_PARM_DESC(user_mib,
		 "MiB of buffers that one user may have; 0: half of the memory (0)");

struct perdix_user {
	struct kref ref;
	struct list_head node;		/* perdix_users */
	kuid_t uid;
	atomic_t sessions;
	atomic64_t bytes;
	wait_queue_head_t room;		/* those who wait for fewer bytes */
};

/* The longest that a client waits for what is on its way, in ms. */
#define PERDIX_ROOM_MS 200

static DEFINE_SPINLOCK(perdix_user_lock);
static LIST_HEAD(perdix_users);

/* The one of that uid; if there is none, @spare becomes it. */
static struct perdix_user *perdix_find_user(kuid_t uid,
					    struct perdix_user *spare)
{
	struct perdix_user *user;

	lockdep_assert_held(&perdix_user_lock);
	list_for_each_entry(user, &perdix_users, node)
		if (uid_eq(user->uid, uid))
			return perdix_get_user(user);
	kref_init(&spare->ref);
	init_waitqueue_head(&spare->room);
	spare->uid = uid;
	list_add(&spare->node, &perdix_users);
	return spare;
}

static struct perdix_user *perdix_this_user(void)
{
	struct perdix_user *spare = kzalloc(sizeof(*spare), GFP_KERNEL), *user;

	if (!spare)
		return NULL;
	spin_lock(&perdix_user_lock);
	user = perdix_find_user(current_euid(), spare);
	spin_unlock(&perdix_user_lock);
	if (user != spare)
		kfree(spare);
	return user;
}

struct perdix_user *perdix_get_user(struct perdix_user *user)
{
	kref_get(&user->ref);
	return user;
}

static void perdix_free_user(struct kref *ref)
{
	struct perdix_user *user = container_of(ref, struct perdix_user, ref);

	list_del(&user->node);
	spin_unlock(&perdix_user_lock);
	kfree(user);
}

void perdix_put_user(struct perdix_user *user)
{
	kref_put_lock(&user->ref, perdix_free_user, &perdix_user_lock);
}

/* A session begins. EMFILE: this user has too many. */
struct perdix_user *perdix_enter_user(void)
{
	struct perdix_user *user = perdix_this_user();
	uid_t uid;

	if (!user)
		return ERR_PTR(-ENOMEM);
	if (atomic_inc_return(&user->sessions) <= READ_ONCE(user_sessions) ||
	    capable(CAP_SYS_RESOURCE))
		return user;
	uid = from_kuid(&init_user_ns, user->uid);
	pr_notice_ratelimited("perdix: user %u has %u sessions open already (user_sessions)\n",
			      uid, READ_ONCE(user_sessions));
	perdix_leave_user(user);
	return ERR_PTR(-EMFILE);
}

void perdix_leave_user(struct perdix_user *user)
{
	atomic_dec(&user->sessions);
	perdix_put_user(user);
}

static u64 perdix_user_bytes(void)
{
	u64 bytes = (u64)READ_ONCE(user_mib) << 20;

	return bytes ?: (u64)totalram_pages() << PAGE_SHIFT >> 1;
}

static bool perdix_has_room(struct perdix_user *user, u64 bytes)
{
	return atomic64_read(&user->bytes) + bytes <= perdix_user_bytes();
}

/*
 * Waits, with no lock held, if the bytes are too many now. Buffers that the client
 * has freed count until the daemon has let go of them, too, which takes it some ms.
 */
void perdix_await_room(struct perdix_user *user, u64 bytes)
{
	if (!perdix_has_room(user, bytes) && bytes <= perdix_user_bytes() &&
	    !capable(CAP_SYS_RESOURCE))
		wait_event_killable_timeout(user->room,
					    perdix_has_room(user, bytes),
					    msecs_to_jiffies(PERDIX_ROOM_MS));
}

/* ENOMEM: this user has too much; vb2 would make that of any other error. */
int perdix_charge(struct perdix_user *user, u64 bytes)
{
	u64 allowed = perdix_user_bytes();
	u64 total = atomic64_add_return(bytes, &user->bytes);

	if (total <= allowed || capable(CAP_SYS_RESOURCE))
		return 0;
	perdix_uncharge(user, bytes);
	pr_notice_ratelimited("perdix: user %u wants %llu MiB of buffers, %llu are allowed (user_mib)\n",
			      from_kuid(&init_user_ns, user->uid), total >> 20,
			      allowed >> 20);
	return -ENOMEM;
}

void perdix_uncharge(struct perdix_user *user, u64 bytes)
{
	atomic64_sub(bytes, &user->bytes);
	wake_up(&user->room);
}
