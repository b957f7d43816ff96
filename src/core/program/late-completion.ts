import { readFileSync } from 'fs';
import { putSecrets } from './secrets';
import { LATE_VALUES_VERSION, ResolvedValues, recordYaml, withEachText } from '../late/late-text';
import { isRecord } from '../manifest/manifest';
import { AssemblyLateSource, AssemblyLateValue } from '../output/assembly';
import { LateSource, LateValue } from '../value/late-value';

/** Reads a file of resolved values: `{"schemaVersion":"1","values":{"<id>":"<value>"}}`. */
export function readResolvedValues(file: string): ResolvedValues {
  const fix = 'Fix: write {"schemaVersion":"1","values":{"<late value id>":"<value>"}}';
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // the parser's words would show a piece of the file, which holds secrets
    const why = error instanceof SyntaxError ? 'is not valid JSON' : (error as Error).message;
    throw new Error(`late values file ${file}: ${why}. ${fix}`);
  }
  const values =
    isRecord(content) && content.schemaVersion === LATE_VALUES_VERSION ? content.values : undefined;
  if (!isRecord(values) || Object.values(values).some((value) => typeof value !== 'string')) {
    throw new Error(`late values file ${file}: must contain schemaVersion and values. ${fix}`);
  }
  return new Map(Object.entries(values) as [string, string][]);
}

/** The values of a file, with the texts that can be put together from them. */
export function withProgramTexts(
  lateValues: readonly LateValue[],
  values: ResolvedValues,
): ResolvedValues {
  const texts = lateValues.flatMap(({ lateId, source }) =>
    source.content === undefined ? [] : [[lateId, sourceText(source.content)] as const],
  );
  return withEachText(new Map(texts), values);
}

/** A late value as the assembly holds it. */
export function lateValueOf(late: LateValue): AssemblyLateValue {
  return {
    id: late.lateId,
    description: late.description,
    type: late.type,
    sensitive: late.sensitive,
    construct: late.node.path,
    source: lateSourceOf(late.source),
  };
}

function lateSourceOf({ resolver, object, path, content }: LateSource): AssemblyLateSource {
  if (!object || path === undefined) {
    return { resolver: 'text', text: sourceText(content ?? '') };
  }
  const { target, apiVersion, kind, namespace, name } = object;
  return {
    resolver,
    target: target.targetName,
    apiVersion,
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    path,
  };
}

function sourceText(content: string): string {
  return recordYaml(putSecrets(content)?.written ?? content);
}
