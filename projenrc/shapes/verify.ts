import * as fc from 'fast-check';
import { Schema } from './shape-of-schema';
import { Definition, kindOf, readDefinitions, Source, SOURCES, stored } from './sources';
import { compareShape } from '../../src/core/shape/compare-shape';
import { knownKinds, readShape, rootNode, VersionShape } from '../../src/core/shape/shape-node';
import { SchemaJudge } from '../../test/core/shape/_schema-judge';
import { rootSchema } from '../../test/support/definition-of';
import { objectsOf } from '../../test/support/schema-objects';

const RUNS = 1000;

/**
 * Compares the committed shapes with definitions, and prints what differs. Fails where anything
 * does.
 */
export function verify(root: string): void {
  const tried = { accepted: 0, refused: 0 };
  const problems: string[] = [];
  let definitions = 0;
  for (const source of SOURCES) {
    for (const definition of readDefinitions(root, source)) {
      definitions++;
      const version = versionOf(source, definition);
      if (version === undefined) {
        problems.push(`${source.folder}: ${kindOf(definition)} has no shape`);
        continue;
      }
      const real = stored(definition).schema.openAPIV3Schema;
      const found =
        firstDifference(
          normal(real, true),
          normal(rootSchema(readShape(version.file)), true),
          '',
        ) ?? disagreement(real, version, tried);
      if (found !== undefined) {
        problems.push(`${source.folder}: ${kindOf(definition)}: ${found}`);
      }
    }
  }
  console.log(
    [
      ...problems,
      `${definitions} definitions, ${problems.length} differ from their shapes`,
      `${tried.accepted + tried.refused} objects tried; definitions and shapes both accept ${tried.accepted} and both refuse ${tried.refused}`,
    ].join('\n'),
  );
  process.exitCode = problems.length > 0 ? 1 : 0;
}

function versionOf(source: Source, definition: Definition): VersionShape | undefined {
  return knownKinds()
    .get(kindOf(definition))
    ?.versions.filter(({ from }) => from <= source.from)
    .at(-1);
}

/**
 * The first object that only one of both accepts: the definition by a JSON Schema validator, the
 * shape by our own comparison.
 */
function disagreement(
  real: Schema,
  { file }: VersionShape,
  tried: { accepted: number; refused: number },
): string | undefined {
  const judge = new SchemaJudge(real);
  const node = rootNode(readShape(file), false);
  const result = fc.check(
    fc.property(objectsOf(real, 2), (object) => {
      const accepted = judge.accepts(object);
      tried[accepted ? 'accepted' : 'refused']++;
      return (
        accepted === Object.values(compareShape(node, object)).every((found) => found.length === 0)
      );
    }),
    { numRuns: RUNS },
  );
  return result.failed
    ? `only one of both accepts ${JSON.stringify(result.counterexample)}`
    : undefined;
}

/**
 * A schema without keywords that have no effect on objects, so that two schemas with the same
 * meaning are equal.
 */
function normal(schema: Schema, isRoot = false): Schema {
  const {
    description,
    title,
    example,
    anyOf,
    items,
    properties,
    additionalProperties,
    required = [],
    ...others
  } = schema;
  const kept = Object.entries(others).filter(
    ([keyword, value]) =>
      !(keyword === 'x-kubernetes-list-type' && value === 'atomic') &&
      // the type follows from the extension
      !(keyword === 'type' && others['x-kubernetes-int-or-string']),
  );
  const fields = Object.entries(properties ?? {})
    .filter(([name]) => !isRoot || !['apiVersion', 'kind', 'metadata'].includes(name))
    .map(([name, field]) => [name, normal(field as Schema)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const needed = required
    .filter(
      (name: string) =>
        !(isRoot && name === 'metadata') && !('default' in (properties?.[name] ?? {})),
    )
    .sort();
  return {
    ...Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(items && { items: normal(items) }),
    ...(additionalProperties && {
      additionalProperties:
        additionalProperties === true ? additionalProperties : normal(additionalProperties),
    }),
    ...(fields.length > 0 && { properties: Object.fromEntries(fields) }),
    ...(needed.length > 0 && { required: needed }),
  };
}

function firstDifference(real: unknown, shape: unknown, where: string): string | undefined {
  if (JSON.stringify(real) === JSON.stringify(shape)) {
    return undefined;
  }
  if (typeof real !== 'object' || typeof shape !== 'object' || real === null || shape === null) {
    return `${where} is ${JSON.stringify(real)} in the definition and ${JSON.stringify(shape)} in the shape`;
  }
  const names = [...new Set([...Object.keys(real), ...Object.keys(shape)])];
  return (
    names
      .map((name) =>
        firstDifference((real as Schema)[name], (shape as Schema)[name], `${where}/${name}`),
      )
      .find((found) => found !== undefined) ?? `${where}: the order differs`
  );
}
