import { setTimeout as sleep } from 'node:timers/promises';
import { Product } from './kubeconfigs';
import { Lab } from './lab';

/** How long bindings may take to become permissions. */
const GRANT_MS = 60_000;
const LOOK_MS = 500;

/** What a user may do, or must not. */
export interface Question {
  readonly on: Product;
  /** The User of Rancher, as the API servers know it, e.g. `u-ana`. */
  readonly user: string;
  readonly verb: string;
  /** @default - the core group */
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly allowed: boolean;
}

/** The answer of a SelfSubjectAccessReview as a user. */
export async function isAllowed(lab: Lab, question: Question): Promise<boolean> {
  const { on, user, verb, group = '', resource, namespace = '', name = '' } = question;
  const status = await lab
    .server(on)
    .as(user)
    .review('authorization.k8s.io/v1', 'SelfSubjectAccessReview', {
      resourceAttributes: { verb, group, resource, namespace, name },
    });
  return status.allowed === true;
}

/** Asks until the answers are as expected; returns those that never are. */
export async function wrongAnswers(
  lab: Lab,
  questions: readonly Question[],
  withinMs = GRANT_MS,
): Promise<string[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const wrong: string[] = [];
    for (const question of questions) {
      if ((await isAllowed(lab, question)) !== question.allowed) {
        wrong.push(textOf(question));
      }
    }
    if (wrong.length === 0 || Date.now() > deadline) {
      return wrong;
    }
    await sleep(LOOK_MS);
  }
}

function textOf({ on, user, verb, group, resource, namespace, name, allowed }: Question): string {
  const what = [resource, ...(group ? [group] : [])].join('.');
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  const object = name === undefined ? '' : ` ${name}`;
  return `${user} ${allowed ? 'cannot' : 'can'} ${verb} ${what}${object}${where} on ${on}`;
}
