import { HiddenObject, HiddenPart, SecretHiding } from './hiding';
import { isLate } from '../../core/late/late-token';
import { Manifest, at, isManifest, refId } from '../../core/manifest/manifest';
import { Assembly } from '../../core/output/assembly';
import { lateEdges, uniqueEdges } from '../../core/output/implied-edges';
import { previousEntries } from '../../core/output/output';
import { HiddenOutput, PlainOutput } from '../../core/program/delivery-step';
import { Finding, FindingLevel } from '../../core/rule/finding';
import { allRules } from '../../core/rule/judge-all';
import { DELIVERY_SECRETS, LATE_SECRET_WRITTEN } from '../../core/rule/program-rules';
import { holdsOwnSecret, secretFields } from '../../core/secret/secret-fields';
import { isEncrypted } from '../../core/sops/sops';
import { plainRules } from '../../core/synthesis/plain-findings';
import { compare, grouped } from '../../core/text/values';

/**
 * An output whose secrets are hidden; undefined if all of them are in plain text.
 *
 * @param hidingOf how the secrets of an object are hidden, by its ID: `plain` if the program accepts them as they are
 */
export function hideOutput(
  output: PlainOutput,
  hidingOf: (id: string) => SecretHiding | 'plain' | undefined,
): HiddenOutput | undefined {
  const ids = output.assembly.objects.map(({ id }) => id);
  const groups = grouped(
    ids.filter((id) => typeof hidingOf(id) === 'object'),
    (id) => hidingOf(id) as SecretHiding,
  );
  if (groups.size === 0) {
    return undefined;
  }
  const parts = [...groups].map(([hiding, own]) => hiding.hide(output, own));
  const changed = new Map(parts.flatMap(({ objects }) => [...(objects ?? [])]));
  const renamed = new Map(
    [...changed].flatMap(([id, { entry }]) => (entry.id === id ? [] : [[id, entry.id] as const])),
  );
  const declared = new Map([...renamed].map(([id, now]) => [now, id]));
  return {
    output: {
      ...hidden(output, parts, changed, renamed),
      acceptsPlain: (id) => hidingOf(declared.get(id) ?? id) !== undefined,
    },
    renamed,
    finish: (delivered, outdir) =>
      parts.reduce(
        ({ delivered: before, notes }, { finish }) => {
          const finished = finish?.(before, outdir);
          return finished
            ? { delivered: finished.delivered, notes: [...notes, ...finished.notes] }
            : { delivered: before, notes };
        },
        { delivered, notes: plainNotes(outdir, parts) },
      ),
  };
}

/** What to print about objects whose secrets an earlier output contains in plain text. */
function plainNotes(outdir: string, parts: readonly HiddenPart[]): readonly string[] {
  const hiddenIds = new Set(parts.flatMap(({ answers }) => [...answers.keys()]));
  // other templates contain no secret in any output
  const encryptedIds = new Set(
    parts.flatMap(({ decryption = new Map<string, unknown>() }) => [...decryption.keys()]),
  );
  const plain = previousEntries(outdir).flatMap(({ id, file, template }) => {
    if (typeof id !== 'string' || !hiddenIds.has(id)) {
      return [];
    }
    const isOpen =
      typeof file === 'string'
        ? !file.endsWith('.sops.yaml')
        : encryptedIds.has(id) &&
          isManifest(template) &&
          !isEncrypted(template) &&
          openFields(template) > 0;
    return isOpen ? [id] : [];
  });
  if (plain.length === 0) {
    return [];
  }
  return [
    `warning: the previous output contains secrets of ${plain.join(', ')} in plain text, and a repository keeps what was committed. ` +
      'Fix: if it was committed, replace these secrets where the program reads them, and synthesize again',
  ];
}

function openFields(template: Manifest): number {
  return secretFields(template, new Set()).filter((path) => !isLate(at(template, path))).length;
}

/** @param renamed the new IDs of objects that are of another kind now */
function hidden(
  output: PlainOutput,
  parts: readonly HiddenPart[],
  changed: ReadonlyMap<string, HiddenObject>,
  renamed: ReadonlyMap<string, string>,
): PlainOutput {
  const { manifests, order, secretPlaces } = output;
  const nameOf = (id: string): string => renamed.get(id) ?? id;
  const named = <T>(entries: readonly (readonly [id: string, value: T])[]): Map<string, T> =>
    new Map(entries.map(([id, value]) => [nameOf(id), value]));
  const assembly = hiddenAssembly(output.assembly, parts, changed, nameOf);
  const inFiles = new Set(
    assembly.objects.filter(({ template }) => template === undefined).map(({ id }) => id),
  );
  return {
    ...output,
    assembly,
    manifests: named(
      [...manifests].map(([id, manifest]) => [id, changed.get(id)?.manifest ?? manifest]),
    ),
    secretPlaces: new Map([...(secretPlaces ?? [])].filter(([id]) => !changed.has(id))),
    order: order?.map(nameOf).filter((id) => inFiles.has(id)),
    hiding: {
      ownFiles: named(parts.flatMap(({ ownFiles }) => [...ownFiles])),
      decryption: named(parts.flatMap(({ decryption }) => [...(decryption ?? [])])),
    },
  };
}

function hiddenAssembly(
  assembly: Assembly,
  parts: readonly HiddenPart[],
  changed: ReadonlyMap<string, HiddenObject>,
  nameOf: (id: string) => string,
): Assembly {
  const objects = assembly.objects
    .map((object) => changed.get(object.id)?.entry ?? object)
    .map((object) => (object.needs ? { ...object, needs: object.needs.map(nameOf) } : object))
    .sort((a, b) => compare(a.id, b.id));
  const lateValues = [
    ...new Map(
      parts.flatMap(({ lateValues: more = [] }) => more.map((late) => [late.id, late] as const)),
    ).values(),
  ];
  const storeKeys = parts
    .flatMap((part) => part.storeKeys ?? [])
    .map((each) => ({ ...each, objects: each.objects.map(nameOf) }));
  const edges = uniqueEdges([
    ...assembly.edges,
    ...lateEdges(
      [...changed.values()].map(({ entry }) => entry),
      lateValues,
    ),
  ]);
  return {
    ...assembly,
    objects,
    groups: assembly.groups.map((group) => ({ ...group, objects: group.objects.map(nameOf) })),
    edges: edges.map(({ from, to, type }) => ({ from: nameOf(from), to: nameOf(to), type })),
    lateValues: [...assembly.lateValues, ...lateValues].sort((a, b) => compare(a.id, b.id)),
    ...(assembly.placeholders
      ? { placeholders: assembly.placeholders.map((each) => ({ ...each, in: nameOf(each.in) })) }
      : {}),
    ...(storeKeys.length > 0 ? { storeKeys } : {}),
    findings: [
      ...answered(assembly, parts),
      ...parts.flatMap(({ findings = [] }) => findings),
      ...plainTexts(assembly),
    ],
  };
}

function answered({ findings, objects }: Assembly, parts: readonly HiddenPart[]): Finding[] {
  const answers = new Map(parts.flatMap(({ answers: own }) => [...own]));
  const reasons = new Map(
    objects.flatMap((object) => {
      const reason = answers.get(object.id);
      return reason === undefined ? [] : [[refId(object.target, object), reason] as const];
    }),
  );
  const answerTo = ({ rule, target = '', object }: Finding): string | undefined => {
    if (rule === LATE_SECRET_WRITTEN.id) {
      return [...answers.values()][0];
    }
    if (plainRules(allRules()).has(rule) && object) {
      return reasons.get(refId(target, object));
    }
    return undefined;
  };
  return findings.map((finding) => {
    if (finding.suppressed !== undefined) {
      return finding;
    }
    const suppressed = answerTo(finding);
    return suppressed === undefined ? finding : { ...finding, suppressed };
  });
}

/** Texts of late values that contain a secret: the assembly holds them as they are. */
function plainTexts({ lateValues }: Assembly): Finding[] {
  const { id: rule, level, source: cited } = DELIVERY_SECRETS;
  return lateValues.flatMap(({ id, construct, source }): Finding[] => {
    if ('text' in source && holdsOwnSecret(source.text)) {
      return [
        {
          rule,
          level: level as FindingLevel,
          source: cited,
          construct,
          path: id,
          message: `the late value ${id} contains a secret of the program in its text, which is in plain text in the assembly`,
          fix: 'make the secret a late value of its own, or set SecretDelivery.plainText()',
        },
      ];
    }
    return [];
  });
}
