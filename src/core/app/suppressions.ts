import { IConstruct } from 'constructs';
import { needsApp } from './app-mark';
import { attach, attached } from './scope';
import { fail } from '../rule/problem';
import { isSuppressible } from '../rule/rule';

/** A reason why findings of a rule do not count below a construct. */
export interface Suppression {
  readonly rule: string;
  readonly reason: string;
  readonly construct: string;
}

const SUPPRESSIONS = Symbol.for('cdk8s-harvester.Suppressions');

/**
 * What the rules may say about a construct and all below it.
 */
export class Rules {
  /** The rules as they hold for a construct and all below it. */
  public static of(construct: IConstruct): Rules {
    return new Rules(construct);
  }

  private constructor(private readonly construct: IConstruct) {}

  /**
   * Findings of one rule do not count here. They stay in the assembly, with the reason.
   *
   * What would make the output itself wrong (rules `program/…` and `object/duplicate`) can't be suppressed. Needs HarvesterApp.
   *
   * @param ruleId e.g. `registration-token/plain-token`
   * @param reason why it is right here; people read it in reviews
   */
  public suppress(ruleId: string, reason: string): void {
    if (reason.trim() === '') {
      fail(this.construct, [{ path: `Rules.suppress ${ruleId}`, message: 'the reason is empty', fix: 'write why the finding does not count here' }]);
    }
    if (ruleId.startsWith('output/')) {
      fail(this.construct, [{
        path: `Rules.suppress ${ruleId}`, message: 'what leaves the output is judged for the program as a whole', fix: 'use app.acceptRemoval with the id of the object',
      }]);
    }
    if (!isSuppressible(ruleId)) {
      fail(this.construct, [{ path: `Rules.suppress ${ruleId}`, message: 'rules of the program itself can not be suppressed', fix: 'mend what it says' }]);
    }
    if (this._suppressions().length === 0) {
      this.construct.node.addValidation({ validate: () => needsApp(this.construct, 'Rules.suppress', 'runs the rules') });
    }
    attach<Suppression>(this.construct, SUPPRESSIONS, { rule: ruleId, reason, construct: this.construct.node.path });
  }

  /** @internal */
  public _suppressions(): readonly Suppression[] {
    return attached(this.construct, SUPPRESSIONS);
  }
}
