import { IConstruct } from 'constructs';
import { needsApp, attach, attached } from '../construct/scope';
import { fail } from '../problem/problem';
import { isSuppressible } from '../rule/rule';

/** A reason why findings of a rule are suppressed below a construct. */
export interface Suppression {
  readonly rule: string;
  readonly reason: string;
  readonly construct: string;
}

const SUPPRESSIONS = Symbol.for('cdk8s-harvester.Suppressions');

/**
 * Suppresses findings of rules for a construct, everything below it, and what it wrote on other
 * clusters.
 */
export class Suppressions {
  /** The rules for a construct, everything below it, and what it wrote on other clusters. */
  public static of(construct: IConstruct): Suppressions {
    return new Suppressions(construct);
  }

  private constructor(private readonly construct: IConstruct) {}

  /**
   * Suppresses the findings of one rule. The assembly keeps them with the reason.
   *
   * Rules about the output itself (`program/…` and `object/duplicate`) cannot be suppressed. Needs
   * HarvesterApp.
   *
   * @param ruleId e.g. `registration-token/plain-token`
   * @param reason why the finding does not apply here, for reviewers
   */
  public suppress(ruleId: string, reason: string): void {
    if (reason.trim() === '') {
      fail(this.construct, [
        {
          path: `Suppressions.suppress ${ruleId}`,
          message: 'the reason must not be empty',
          fix: 'state why the finding does not apply here',
        },
      ]);
    }
    if (ruleId.startsWith('output/')) {
      fail(this.construct, [
        {
          path: `Suppressions.suppress ${ruleId}`,
          message: 'rules about removed objects apply to the whole program',
          fix: 'use app.acceptRemoval with the ID of the object',
        },
      ]);
    }
    if (!isSuppressible(ruleId)) {
      fail(this.construct, [
        {
          path: `Suppressions.suppress ${ruleId}`,
          message: 'rules about the output itself cannot be suppressed',
          fix: 'fix the finding',
        },
      ]);
    }
    if (this._suppressions().length === 0) {
      this.construct.node.addValidation({
        validate: () => needsApp(this.construct, 'Suppressions.suppress', 'runs the rules'),
      });
    }
    attach<Suppression>(this.construct, SUPPRESSIONS, {
      rule: ruleId,
      reason,
      construct: this.construct.node.path,
    });
  }

  /** @internal */
  public _suppressions(): readonly Suppression[] {
    return attached(this.construct, SUPPRESSIONS);
  }
}
