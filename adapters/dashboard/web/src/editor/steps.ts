/** A change of one field, with what it replaced. */
export type Step = {
  name: string;
  /** The place of the text that was typed; '' for a change that stands alone, such as a moved block. */
  at: string;
  value: unknown;
};

const longest = 1_000; // steps
const pause = 800; // ms between the keys of one step
const lasting = 5_000; // ms of typing in one step

/** The steps of a form that can be undone and redone, in the order in which they were made, whatever their field. */
export class Steps {
  #done: Step[] = [];
  #undone: Step[] = [];
  #began = 0;
  #last = 0;

  /** Keeps the value before a change. Keys that follow each other in one place are one step. */
  add(step: Step, now = Date.now()) {
    const typing = step.at !== '' && this.#done.at(-1)?.at === step.at && now - this.#last < pause && now - this.#began < lasting;
    this.#last = now;
    this.#undone = [];
    if (typing) return;
    this.#began = now;
    this.#done = [...this.#done.slice(1 - longest), step];
  }

  get canUndo() {
    return this.#done.length > 0;
  }
  get canRedo() {
    return this.#undone.length > 0;
  }

  undo = (current: (name: string) => unknown) => this.#take(this.#done, this.#undone, current);
  redo = (current: (name: string) => unknown) => this.#take(this.#undone, this.#done, current);

  /** Takes the last step, and keeps the current value for the opposite direction. */
  #take(from: Step[], to: Step[], current: (name: string) => unknown): Step | undefined {
    const step = from.pop();
    if (step) to.push({ ...step, value: current(step.name) });
    this.#last = 0; // the next key begins a step
    return step;
  }

  /** Forgets all steps, and returns whether there were any. */
  clear(): boolean {
    const had = this.canUndo || this.canRedo;
    this.#done = [];
    this.#undone = [];
    return had;
  }
}
