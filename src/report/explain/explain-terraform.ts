import { ConstructBook } from './explain-construct';
import { explainKinds } from './explain-kind';
import { COLUMNS, Explanation, Row, explanation } from './explanation';
import {
  TerraformArgument,
  argumentOf,
  argumentsOf,
  terraformProviderOf,
} from './terraform-arguments';
import {
  META_ARGUMENTS,
  OTHER_PROVIDERS,
  TERRAFORM_NAME,
  TERRAFORM_NAMES,
  WITHOUT_CONSTRUCT,
} from './terraform-names.data';
import { nearestName } from '../../core/text/plain-text';

/**
 * Explains a resource or data source of Terraform, a block, or an argument of it; undefined for a
 * topic that is none.
 *
 * @throws if there is no construct, or no such argument
 */
export function explainTerraform(topic: string, book: ConstructBook): Explanation[] | undefined {
  // as a program of Terraform refers to a data source
  const [resource, ...path] = topic
    .toLowerCase()
    .replace(/^data\./, '')
    .split('.');
  if (!TERRAFORM_NAME.test(resource)) {
    const other = OTHER_PROVIDERS.find(({ names }) => names.test(resource));
    if (other) {
      throw new Error(`${topic}: is of another provider, ${other.what}. Fix: ${other.fix}`);
    }
    return undefined;
  }
  if (path.length > 0 && argumentsIn(resource).length > 0) {
    return argumentExplanation(topic, resource, path.join('.'), book);
  }
  const constructs = TERRAFORM_NAMES.get(resource);
  if (!constructs) {
    const [why, fix] = WITHOUT_CONSTRUCT.get(resource) ?? [
      'no construct of this package has this name in Terraform',
      'use a construct that API.md lists',
    ];
    throw new Error(`${topic}: ${why}. Fix: ${fix}`);
  }
  return constructs.flatMap((name) => book.explain(name));
}

function argumentExplanation(
  topic: string,
  resource: string,
  given: string,
  book: ConstructBook,
): Explanation[] {
  const own = argumentOf(resource, given);
  const path = own ? given : (blockOf(resource, given) ?? given);
  const page = pageOf(resource);
  const all = argumentsIn(resource);
  const meta = META_ARGUMENTS.get(path.split('.')[0]);
  if (!own && meta !== undefined) {
    return [
      explanation('argument', `${resource}.${path}`, meta, 'docs/coming-from-terraform.md', {}),
    ];
  }
  const inBlock = all.filter((each) => each.path.startsWith(`${path}.`));
  if (!own && inBlock.length > 0) {
    return [
      explanation('argument', `${resource}.${path}`, `A block of ${resource}.`, page, {
        arguments: inBlock.map(rowOf),
      }),
    ];
  }
  const sameEnd = all.filter((each) => each.path.endsWith(`.${path}`));
  const guessed = sameEnd.length === 1 ? sameEnd[0] : undefined;
  const found = own ? { ...own, path: own.path === '' ? path : own.path } : guessed;
  if (!found) {
    throw new Error(
      `${topic}: must be an argument of ${resource}. Fix: ${fixOf(resource, path, sameEnd.length > 0 ? sameEnd : all)}`,
    );
  }
  return [
    explanation(
      'argument',
      `${resource}.${own ? path : found.path}`,
      `${servedBy(found)}.`,
      page,
      {},
    ),
    ...found.by.flatMap((name) => [...book.explain(name), ...explainKinds(name, () => [])]),
  ];
}

/** The page of a resource with arguments. */
function pageOf(resource: string): string {
  return `docs/terraform/${resource}.md`;
}

/** The whole path of a block, by its end. */
function blockOf(resource: string, end: string): string | undefined {
  const found = new Set(
    argumentsIn(resource).flatMap(({ path }) => {
      const at = `.${path}`.indexOf(`.${end}.`);
      return at < 0 ? [] : [path.slice(0, at + end.length)];
    }),
  );
  return found.size === 1 ? [...found][0] : undefined;
}

function fixOf(resource: string, path: string, candidates: readonly TerraformArgument[]): string {
  const names = candidates.map((each) => `${resource}.${each.path}`);
  if (names.length <= FEW) {
    return `use ${names.join(' or ')}`;
  }
  const nearest = nearestName(
    path,
    candidates.map((each) => each.path),
  );
  return nearest
    ? `use ${resource}.${nearest} if that is what you mean`
    : `use one that ${pageOf(resource)} lists`;
}

/** As many names as a message lists. */
const FEW = 4;

function argumentsIn(resource: string): readonly TerraformArgument[] {
  const provider = terraformProviderOf(resource);
  return (provider && argumentsOf(provider).get(resource)) ?? [];
}

function servedBy({ by, remark = '' }: TerraformArgument): string {
  return by.length === 0
    ? `Out of scope: ${remark}`
    : `Served by ${by.join(', ')}${remark && `: ${remark}`}`;
}

function rowOf(argument: TerraformArgument): Row {
  const { path, by, remark = '' } = argument;
  return {
    columns: COLUMNS.ARGUMENTS,
    cells: [path, by.join(', ') || 'out of scope', remark],
    text: `${path}: ${servedBy(argument)}`,
  };
}
