import { Manifest } from '../../../src/core/manifest/manifest';

/**
 * Reads what the library prints as CEL, as Flux does: undefined where a variable or a field is
 * missing. The cluster tests ask the real evaluator.
 */
export function readCel(text: string, live: Manifest): boolean | undefined {
  const has = (path: string): boolean => {
    const keys = path.split('.');
    let value: unknown = live;
    for (const key of keys.slice(0, -1)) {
      value = (value as { [key: string]: unknown } | undefined)?.[key];
      if (value === undefined) {
        throw new Error(`no such key: ${key}`);
      }
    }
    return (value as { [key: string]: unknown })[keys.at(-1)!] !== undefined;
  };
  const script = text
    .replace(/has\(c\.(\w+)\)/g, '(c.$1 !== undefined)')
    .replace(/has\(([\w.]+)\)/g, 'has("$1")')
    .replace(/\.exists\(c, /g, '.some((c) => ')
    .replace(/([\w.]+) in (\[[^\]]*\])/g, '$2.includes($1)')
    .replace(/ == /g, ' === ')
    .replace(/ != /g, ' !== ');
  try {
    return evaluated(script, {
      has,
      status: live.status,
      spec: live.spec,
      metadata: live.metadata,
    }) as boolean;
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw error;
    }
    return undefined;
  }
}

/** Reads what the library prints as Lua: the status that it returns. */
export function readLua(text: string, live: Manifest): string {
  const condition = (type: string, is: string): boolean =>
    conditionsOf(live).some(
      (each) =>
        each.type === type &&
        (each.status === is || (is === 'without message' && (each.message ?? '') === '')),
    );
  for (const line of text.split('\n')) {
    const [, test, status] = /^(?:if (.*) then )?return \{ status = "(\w+)"/.exec(line) ?? [];
    if (status === undefined) {
      continue;
    }
    const script = test
      ?.replace(/ and /g, ' && ')
      .replace(/ or /g, ' || ')
      .replace(/\bnot /g, '!')
      .replace(/ == /g, ' === ')
      .replace(/ ~= /g, ' !== ');
    if (script === undefined || evaluated(script, { obj: live, condition })) {
      return status;
    }
  }
  throw new Error('returns nothing');
}

function conditionsOf({
  status,
}: Manifest): { readonly type: string; readonly status: string; readonly message?: string }[] {
  return (
    (status as { conditions?: { type: string; status: string; message?: string }[] } | undefined)
      ?.conditions ?? []
  );
}

// the scripts are what the library printed
function evaluated(script: string, variables: { readonly [name: string]: unknown }): unknown {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  return (
    new Function(...given.map(([name]) => name), `return (${script});`) as (
      ...values: unknown[]
    ) => unknown
  )(...given.map(([, value]) => value));
}
