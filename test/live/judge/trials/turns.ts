/** Lets one action begin when the one before has ended. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  public async take<T>(action: () => Promise<T>): Promise<T> {
    const own = this.last.then(action);
    this.last = own.catch(() => undefined);
    return own;
  }
}
