import { Expression } from '../../core/draft/draft';

/** The variable of a loop. */
export class Placeholder extends Expression {
  public constructor(public readonly name: string) {
    super();
  }
}
