import { HiddenPart, SecretHiding } from './hiding';
import { HiddenOutput, PlainOutput } from '../../core/app/delivery-step';
import { lateIdsIn } from '../../core/late/late-text';
import { refKey } from '../../core/manifest/manifest';
import { Assembly, AssemblyEdge, AssemblyLateValue } from '../../core/output/assembly';
import { ALL_RULES } from '../../core/rule/all-rules';
import { Finding } from '../../core/rule/finding';
import { DELIVERY_SECRETS, LATE_SECRET_WRITTEN, SECRET_PLAIN } from '../../core/rule/program-rules';
import { holdsOwnSecret } from '../../core/secret/secret-fields';
import { compare, grouped } from '../../core/text/values';

/** Rules about secrets in files, which hidden secrets answer. */
const ANSWERED = new Set([...ALL_RULES.filter(({ plainFiles }) => plainFiles).map(({ id }) => id), SECRET_PLAIN.id]);

/**
 * An output whose secrets are hidden; undefined if all of them are in plain text.
 *
 * @param hidingOf how the secrets of an object are hidden, by its ID: `plain` if the program accepts them as they are
 */
export function hideOutput(output: PlainOutput, hidingOf: (id: string) => SecretHiding | 'plain' | undefined): HiddenOutput | undefined {
  const ids = output.assembly.objects.map(({ id }) => id);
  const groups = grouped(ids.filter((id) => typeof hidingOf(id) === 'object'), (id) => hidingOf(id) as SecretHiding);
  if (groups.size === 0) { return undefined; }
  const parts = [...groups].map(([hiding, own]) => hiding.hide(output, own));
  return {
    output: { ...hidden(output, parts), acceptsPlain: (id) => hidingOf(id) !== undefined },
    finish: (delivered, outdir) => parts.reduce(({ delivered: before, notes }, { finish }) => {
      const finished = finish?.(before, outdir);
      return finished ? { delivered: finished.delivered, notes: [...notes, ...finished.notes] } : { delivered: before, notes };
    }, { delivered, notes: [] as readonly string[] }),
  };
}

function hidden(output: PlainOutput, parts: readonly HiddenPart[]): PlainOutput {
  const { assembly, manifests, order, secretPlaces } = output;
  const changed = new Map(parts.flatMap(({ objects }) => [...objects ?? []]));
  const objects = assembly.objects.map((object) => changed.get(object.id)?.entry ?? object);
  const lateValues = [...new Map(parts.flatMap(({ lateValues: more = [] }) => more.map((late) => [late.id, late] as const))).values()];
  const storeKeys = parts.flatMap((part) => part.storeKeys ?? []);
  const inFiles = new Set(objects.filter(({ template }) => template === undefined).map(({ id }) => id));
  return {
    ...output,
    assembly: {
      ...assembly,
      objects,
      edges: [...assembly.edges, ...lateEdges(objects.filter(({ id }) => changed.has(id)), lateValues, assembly)],
      lateValues: [...assembly.lateValues, ...lateValues].sort((a, b) => compare(a.id, b.id)),
      ...(storeKeys.length > 0 ? { storeKeys } : {}),
      findings: [...answered(assembly, parts), ...parts.flatMap(({ findings = [] }) => findings), ...plainTexts(assembly)],
    },
    manifests: new Map([...manifests].map(([id, manifest]) => [id, changed.get(id)?.manifest ?? manifest])),
    secretPlaces: new Map([...secretPlaces ?? []].filter(([id]) => !changed.has(id))),
    order: order?.filter((id) => inFiles.has(id)),
    hiding: {
      ownFiles: new Map(parts.flatMap(({ ownFiles }) => [...ownFiles])),
      decryption: new Map(parts.flatMap(({ decryption }) => [...decryption ?? []])),
    },
  };
}

/** The edges of new late values: who contains one waits for it. */
function lateEdges(objects: Assembly['objects'], lateValues: readonly AssemblyLateValue[], { edges }: Assembly): AssemblyEdge[] {
  const known = new Set(edges.filter(({ type }) => type === 'value').map(({ from, to }) => `${from} ${to}`));
  const edge = (from: string, id: string): AssemblyEdge => ({ from, to: `late:${id}`, type: 'value' });
  const waiting = objects.flatMap(({ id, lateValues: ids = [] }) => ids.map((late) => edge(id, late)));
  const within = lateValues.flatMap(({ id, source }) => lateIdsIn(source).map((inner) => edge(`late:${id}`, inner)));
  return [...waiting, ...within].filter(({ from, to }) => !known.has(`${from} ${to}`));
}

function answered({ findings, objects }: Assembly, parts: readonly HiddenPart[]): Finding[] {
  const answers = new Map(parts.flatMap(({ answers: own }) => [...own]));
  const reasons = new Map(objects.flatMap((object) => {
    const reason = answers.get(object.id);
    return reason === undefined ? [] : [[`${object.target} ${refKey(object)}`, reason] as const];
  }));
  return findings.map((finding) => {
    if (finding.suppressed !== undefined) { return finding; }
    const suppressed = finding.rule === LATE_SECRET_WRITTEN.id ? [...answers.values()][0]
      : ANSWERED.has(finding.rule) && finding.object ? reasons.get(`${finding.target ?? ''} ${refKey(finding.object)}`) : undefined;
    return suppressed === undefined ? finding : { ...finding, suppressed };
  });
}

/** Texts of late values that contain a secret: the assembly holds them as they are. */
function plainTexts({ lateValues }: Assembly): Finding[] {
  const { id: rule, level, source: cited } = DELIVERY_SECRETS;
  return lateValues.flatMap(({ id, construct, source }): Finding[] => (
    'text' in source && holdsOwnSecret(source.text) ? [{
      rule,
      level,
      source: cited,
      construct,
      path: id,
      message: `the late value ${id} contains a secret of the program in its text, which is in plain text in the assembly`,
      fix: 'make the secret a late value of its own, or set SecretDelivery.plainText()',
    }] : []));
}
