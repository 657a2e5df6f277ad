# SPDX-License-Identifier: BSD-2-Clause
"""A V3D 7.1: QPUs that execute steps, and the memory units that they share.

A subgroup is a thread of a QPU. Its instructions take a fixed time each. An
access waits, in order, for the memory unit (TMU) of the QPU's slice; the words
of a load can be taken, by ldtmu, a latency later, and tmuwt waits a latency for
stores. A QPU goes on with another of its threads where the program says so
(thrsw), with the one that is ready first. All times are clocks of the GPU.
"""
import heapq
from collections import deque
from typing import NamedTuple


class Machine(NamedTuple):
  """Parameters of params.json that the simulator needs, in clocks."""
  qpus: int
  slices: int
  instruction_clocks: float
  lookup_clocks: float         # an access occupies its TMU so long
  word_clocks: float           # and for each of its words
  load_latency_clocks: float   # from the end of an access until its words are there
  store_latency_clocks: float  # until tmuwt knows that it is done
  workgroup_clocks: float      # before a workgroup begins
  subgroup_clocks: float       # between the begins of its subgroups
  switch_clocks: float         # until a thread can go on that was left
  barrier_clocks: float        # behind the last subgroup's arrival


class Thread:
  """A subgroup at work."""

  def __init__(self, steps, workgroup, ready):
    self.steps, self.workgroup, self.ready = steps, workgroup, ready
    self.position = 0
    self.loads = deque()    # [time when the words are there, words not taken]
    self.stores_done = 0.0
    self.at_barrier = None  # time of arrival
    self.finished = not steps

  def can_run(self):
    return not self.finished and self.at_barrier is None

  def blocked_until(self, step):
    """When the words and stores are there that the step waits for."""
    until = 0.0
    if step.takes_word and self.loads:
      until = self.loads[0][0]
    if step.waits_for_stores:
      until = max(until, self.stores_done)
    return until

  def take_word(self):
    if self.loads:
      self.loads[0][1] -= 1
      if self.loads[0][1] <= 1e-6:  # means of words are not whole
        self.loads.popleft()


class Qpu:
  """Its threads, and which one it executes."""

  def __init__(self, number, tmu):
    self.number, self.tmu = number, tmu
    self.threads, self.current = [], 0
    self.idle = False

  def thread(self):
    return self.threads[self.current]

  def choose(self, time):
    """Goes on with the thread that is ready first, of several with the next in
    turn. Returns when, or None if none can run."""
    count = len(self.threads)
    turns = [(self.current + 1 + i) % count for i in range(count)]
    able = [turn for turn in turns if self.threads[turn].can_run()]
    self.idle = not able
    if not able:
      return None
    self.current = min(able, key=lambda turn: max(self.threads[turn].ready, time))
    return max(self.thread().ready, time)


class Run:
  """Workgroups that begin together, until the last one has ended."""

  def __init__(self, programs, subgroups, machine):
    self.machine = machine
    self.tmu_free = [0.0] * machine.slices
    self.threads = [
        Thread(steps, number // subgroups,
               machine.workgroup_clocks + number * machine.subgroup_clocks)
        for number, steps in enumerate(programs)]
    self.qpus = self.place()
    self.queue = []  # (time, number of a QPU); a QPU is there once or is idle
    self.end = 0.0

  def place(self):
    """Subgroups go to QPUs of different slices first."""
    slices, in_slice = self.machine.slices, self.machine.qpus // self.machine.slices
    qpus = [Qpu(number, number % slices) for number in range(slices * in_slice)]
    for number, thread in enumerate(self.threads):
      qpus[number % len(qpus)].threads.append(thread)
    return [qpu for qpu in qpus if qpu.threads]

  def clocks(self):
    for qpu in self.qpus:
      self.push(qpu, qpu.choose(0.0))
    while self.queue:
      time, number = heapq.heappop(self.queue)
      self.execute(self.qpus[number], time)
    return self.end

  def push(self, qpu, time):
    if time is not None:
      heapq.heappush(self.queue, (time, qpu.number))

  def execute(self, qpu, time):
    """The next step of the QPU's thread, or the time until it can be executed."""
    thread = qpu.thread()
    step = thread.steps[thread.position]
    blocked = thread.blocked_until(step)
    if blocked > time:
      self.push(qpu, blocked)
      return
    if step.takes_word:
      thread.take_word()
    for access in step.accesses:
      self.access(thread, qpu.tmu, access, time)
    thread.position += 1
    time += step.instructions * self.machine.instruction_clocks
    if thread.position == len(thread.steps):
      self.finish(thread, time)
    elif step.switch:
      self.leave(thread, step, time)
    else:
      self.push(qpu, time)
      return
    self.push(qpu, qpu.choose(time))

  def access(self, thread, tmu, access, time):
    begin = max(time + self.machine.instruction_clocks, self.tmu_free[tmu])
    end = begin + self.machine.lookup_clocks + self.machine.word_clocks * access.words
    self.tmu_free[tmu] = end
    if access.store:
      thread.stores_done = max(thread.stores_done,
                               end + self.machine.store_latency_clocks)
    else:
      thread.loads.append([end + self.machine.load_latency_clocks, access.words])

  def leave(self, thread, step, time):
    """The thread gives its QPU away, and is ready again with its first load."""
    if step.barrier:
      thread.at_barrier = time
      self.open_barrier(thread.workgroup, time)
    else:
      arrival = thread.loads[0][0] if thread.loads else time
      thread.ready = max(time + self.machine.switch_clocks, arrival)

  def finish(self, thread, time):
    thread.finished = True
    self.end = max(self.end, time, thread.stores_done)
    self.open_barrier(thread.workgroup, time)

  def open_barrier(self, workgroup, time):
    """Lets the workgroup go on if all of its subgroups have arrived or ended; time:
    of the last one that came here."""
    threads = [thread for thread in self.threads
               if thread.workgroup == workgroup and not thread.finished]
    if not threads or any(thread.at_barrier is None for thread in threads):
      return
    time = max(time, *(thread.at_barrier for thread in threads))
    time += self.machine.barrier_clocks
    for thread in threads:
      thread.at_barrier, thread.ready = None, time
    for qpu in self.qpus:
      if qpu.idle:
        self.push(qpu, qpu.choose(time))


def clocks(programs, machine, subgroups=None):
  """Clocks from the begin of the first workgroup to the end of the last.

  programs: the steps of each subgroup; subgroups: of a workgroup, all of them
  unless it is said. More than one workgroup: they are in flight together."""
  return Run(programs, subgroups or len(programs), machine).clocks()
