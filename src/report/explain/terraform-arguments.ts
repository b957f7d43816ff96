import { readFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';
import { isRecord } from '../../core/manifest/manifest';
import { byText } from '../../core/text/values';

/** An argument of a resource of Terraform. */
export interface TerraformArgument {
  /** The path in the resource, e.g. `range.subnet`. */
  readonly path: string;
  /** The members and fields that serve it; empty if it is out of scope. */
  readonly by: readonly string[];
  /** What differs, or why it is out of scope. */
  readonly remark?: string;
}

/** The providers whose arguments are known. */
export const PROVIDERS = ['rancher2', 'harvester'] as const;

const NONE = 'none';

const FOLDER = join(__dirname, '..', '..', '..', 'schema', 'terraform');

/**
 * The arguments of all resources of a provider. A whole resource that is out of scope has one, with
 * an empty path.
 */
export const argumentsOf: (provider: string) => ReadonlyMap<string, readonly TerraformArgument[]> =
  byText((provider) => {
    const read: unknown = parse(readFileSync(join(FOLDER, `${provider}.yaml`), 'utf8'), {
      merge: true,
    });
    return new Map(
      Object.entries(isRecord(read) ? read : {}).map(([resource, content]) => [
        resource,
        [...flat('', content)],
      ]),
    );
  });

function* flat(path: string, content: unknown): Iterable<TerraformArgument> {
  if (isRecord(content)) {
    for (const [name, inner] of Object.entries(content)) {
      yield* flat(path === '' ? name : `${path}.${name}`, inner);
    }
  } else if (typeof content === 'string') {
    const [names, ...remark] = content.split(' - ');
    yield {
      path,
      by: names === NONE ? [] : names.split(', '),
      ...(remark.length > 0 ? { remark: remark.join(' - ') } : {}),
    };
  }
}

/** The provider of a resource; undefined for one of another provider. */
export function terraformProviderOf(resource: string): (typeof PROVIDERS)[number] | undefined {
  return PROVIDERS.find((name) => resource.startsWith(`${name}_`));
}

/**
 * What serves an argument: it itself, or the block that it is in; nothing if its resource has no
 * such argument.
 */
export function argumentOf(resource: string, path: string): TerraformArgument | undefined {
  const provider = terraformProviderOf(resource);
  const known = provider && argumentsOf(provider).get(resource);
  return known?.find(
    (argument) =>
      argument.path === '' || path === argument.path || path.startsWith(`${argument.path}.`),
  );
}
