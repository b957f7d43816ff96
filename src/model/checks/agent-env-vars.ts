import { isLate } from '../late-token';
import { isRecord } from '../manifest';
import { Problem } from '../problem';

const KNOWN = ['name', 'value'];

/** The agent's variable for its data directory: only for clusters whose nodes Rancher provisions, and there replaced by dataDirectories. */
export const AGENT_VAR_DIR = 'CATTLE_AGENT_VAR_DIR';

/**
 * What is wrong with the environment variables of Rancher's cluster agent, whitespace in NO_PROXY aside.
 *
 * The agent's variables have a name and a value, nothing else: what comes from Secrets or fields of the pod is dropped. Values are shown by no
 * problem: many are passwords.
 *
 * @see rancher/rancher:pkg/apis/rke.cattle.io/v1 EnvVar
 */
export function* checkAgentEnvVars(path: string, list: unknown): Iterable<Problem> {
  if (list === undefined || list === null) { return; }
  if (!Array.isArray(list)) {
    yield { path, message: 'is no list', fix: 'give a list of name and value', says: `must be of type array: "${typeof list}"` };
    return;
  }
  const seen = new Map<string, number>();
  for (const [index, variable] of list.entries()) {
    const at = `${path}[${index}]`;
    if (!isRecord(variable)) {
      yield { path: at, message: 'is no variable', fix: 'give a name and a value', says: 'must be of type object' };
      continue;
    }
    yield* checkVariable(at, variable);
    const { name } = variable;
    // one with a = is told above, and may hold a value, which no problem shows
    if (typeof name !== 'string' || name === '' || name.includes('=')) { continue; }
    const first = seen.get(name);
    if (first !== undefined) {
      yield { path: `${at}.name`, value: name, level: 'warning', message: `stands twice: first at ${path}[${first}]; the last one counts`, fix: 'keep one of them' };
    }
    seen.set(name, first ?? index);
  }
}

function* checkVariable(path: string, variable: { readonly [field: string]: unknown }): Iterable<Problem> {
  const { name, value } = variable;
  if (typeof name !== 'string' || (!isLate(name) && (name === '' || name.includes('=')))) {
    yield { path: `${path}.name`, message: 'is no name of a variable', fix: 'give a name without "="' };
  }
  if (value !== undefined && value !== null && typeof value !== 'string') {
    yield {
      path: `${path}.value`,
      message: 'must be text',
      fix: typeof value === 'object' ? 'give the text itself' : 'write it in quotes',
      says: `must be of type string: "${typeof value}"`,
    };
  }
  for (const field of Object.keys(variable).filter((key) => !KNOWN.includes(key))) {
    // somebody may have written NAME=value where the field belongs
    const at = field.includes('=') ? path : `${path}.${field}`;
    yield {
      path: at,
      message: 'does not exist for variables of the agent: it is dropped and the variable stays empty',
      fix: 'give the value itself',
      says: `unknown field "${at}"`,
    };
  }
}

/**
 * The value that Rancher takes for NO_PROXY: that of the first variable of this name, in whatever case.
 * @see rancher/webhook:pkg/resources/provisioning.cattle.io/v1/cluster/validator.go retrieveNoProxy
 */
export function noProxyOf(list: unknown): { readonly index: number; readonly value: string } | undefined {
  if (!Array.isArray(list)) { return undefined; }
  const index = list.findIndex((variable) => isNoProxy(variable));
  const value: unknown = index < 0 ? undefined : list[index].value;
  return typeof value === 'string' ? { index, value } : undefined;
}

/** Whether a variable is called NO_PROXY, in whatever case. */
export function isNoProxy(variable: unknown): boolean {
  return isRecord(variable) && typeof variable.name === 'string' && variable.name.toLowerCase() === 'no_proxy';
}
