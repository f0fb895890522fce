/**
 * A history's ready tasks, and the order in which they run. All fibers of the program, the exchange and the network
 * share one list of tasks. A seed decides which ready task runs next, and where fibers yield.
 */
import type * as Scheduler from "effect/Scheduler"
import * as Seeded from "./Seeded.ts"

/** Whether a process's tasks may still run: `false` once the process has ended or was killed. */
export type IsAlive = () => boolean

interface Task {
  readonly run: () => void
  readonly isAlive: IsAlive
}

const always: IsAlive = () => true

/** The ready tasks of one priority. They run in the order in which they were added, or in random order. */
class Bucket {
  readonly priority: number
  private readonly random: Seeded.Seeded | undefined
  private tasks: Array<Task> = []
  private head = 0

  constructor(priority: number, random: Seeded.Seeded | undefined) {
    this.priority = priority
    this.random = random
  }

  add(task: Task): void {
    this.tasks.push(task)
  }

  isEmpty(): boolean {
    return this.head === this.tasks.length
  }

  take(): Task | undefined {
    const { head, random, tasks } = this
    const index = random === undefined ? head : head + random.below(tasks.length - head)
    const task = tasks[index]
    const first = tasks[head]
    // If a random task was taken, the first task moves to its place.
    if (first !== undefined) tasks[index] = first
    this.head++
    if (this.isEmpty()) {
      this.tasks = []
      this.head = 0
    }
    return task
  }
}

/** The possible average numbers of operations between two random yields. Each history draws one of these numbers. */
const gaps = [Infinity, 100, 15]

/**
 * A history's ready tasks. If `order` is 0, tasks run in the order in which they were added, as with Effect's own
 * scheduler. Any other number is a seed: the next task is a random one among those with the lowest priority number, and
 * the program's fibers may also yield at random.
 */
export class Tasks {
  private readonly random: Seeded.Seeded | undefined
  private readonly usual: Bucket
  private buckets: ReadonlyArray<Bucket>
  private ran = 0
  private readonly gap: number
  /** The number of operations until the next random yield. */
  private left: number

  constructor(order: number) {
    const random = order === 0 ? undefined : Seeded.make(order)
    this.random = random
    this.gap = random === undefined ? Infinity : gaps[random.below(gaps.length)] ?? Infinity
    this.left = this.gap
    this.usual = new Bucket(0, random)
    this.buckets = [this.usual]
  }

  /** Adds a task that does not belong to a process. */
  readonly add = (run: () => void): void => this.usual.add({ run, isAlive: always })

  /** Runs one ready task. Returns `false` if no task is ready. */
  runOne(): boolean {
    for (;;) {
      const bucket = this.usual.isEmpty() || this.buckets.length > 1
        ? this.buckets.find((bucket) => !bucket.isEmpty())
        : this.usual
      const task = bucket?.take()
      if (task === undefined) return false
      if (!task.isAlive()) continue
      this.ran++
      task.run()
      return true
    }
  }

  /** Whether a task is ready. */
  isReady(): boolean {
    return this.buckets.some((bucket) => !bucket.isEmpty())
  }

  /** The number of tasks that have run. */
  count(): number {
    return this.ran
  }

  /**
   * Creates the scheduler for fibers outside of the program. They yield as often as with Effect's own scheduler, and
   * never at random.
   */
  scheduler(): Scheduler.Scheduler {
    return this.make(always, ({ cache, currentOpCount }) => currentOpCount >= cache.maxOpsBeforeYield)
  }

  /**
   * Creates the scheduler for a process's fibers. Once the process has ended or was killed, its fibers never run again.
   */
  schedulerOf(isAlive: IsAlive): Scheduler.Scheduler {
    return this.make(
      isAlive,
      ({ cache, currentOpCount }) => !isAlive() || currentOpCount >= cache.maxOpsBeforeYield || this.givesWay()
    )
  }

  private make(isAlive: IsAlive, shouldYield: Scheduler.Scheduler["shouldYield"]): Scheduler.Scheduler {
    const dispatcher: Scheduler.SchedulerDispatcher = {
      scheduleTask: (run, priority) => {
        if (isAlive()) this.bucketOf(priority).add({ run, isAlive })
      },
      flush: () => undefined
    }
    return { executionMode: "async", shouldYield, makeDispatcher: () => dispatcher }
  }

  private bucketOf(priority: number): Bucket {
    if (priority === 0) return this.usual
    const found = this.buckets.find((bucket) => bucket.priority === priority)
    if (found !== undefined) return found
    const bucket = new Bucket(priority, this.random)
    this.buckets = [...this.buckets, bucket].toSorted((one, other) => one.priority - other.priority)
    return bucket
  }

  private givesWay(): boolean {
    if (this.random === undefined || --this.left > 0) return false
    this.left = this.gap * 2 * this.random.next()
    return true
  }
}
