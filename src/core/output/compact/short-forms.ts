import { KubeconfigParts, kubeconfigOf, kubeconfigParts } from '../../late/kubeconfig';
import { LATE_OPEN, LATE_YAML } from '../../late/late-token';
import { Manifest, isRecord } from '../../manifest/manifest';
import { AssemblyObject } from '../assembly';

/** The child of a construct that writes its object. */
const RESOURCE = '/Resource';

/** What the path of a construct is short for. */
interface Place {
  /** The path of the target chart. */
  readonly chart: string | undefined;
  /** The name of the object, which most constructs have as their ID. */
  readonly name: string;
}

/**
 * The path of a construct with `/` in place of the target chart at its beginning, and of the child
 * `Resource` at its end; undefined for `/<name>/`.
 */
export function shortConstruct(construct: string, { chart, name }: Place): string | undefined {
  const inChart =
    chart !== undefined && construct.startsWith(`${chart}/`)
      ? construct.slice(chart.length)
      : construct;
  const short = inChart.endsWith(RESOURCE) ? inChart.slice(0, 1 - RESOURCE.length) : inChart;
  return short === `/${name}/` ? undefined : short;
}

/** The path that `shortConstruct` made short. */
export function wholeConstruct(short: string | undefined, { chart, name }: Place): string {
  const path = short ?? `/${name}/`;
  const inChart = path.startsWith('/') ? `${chart ?? ''}${path}` : path;
  return inChart.endsWith('/') ? `${inChart.slice(0, -1)}${RESOURCE}` : inChart;
}

type Named = Pick<AssemblyObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

/**
 * A template without what its entry contains; the whole one where its fields are not in the usual
 * order.
 */
export function shortTemplate(template: Manifest, object: Named): Partial<Manifest> {
  const { apiVersion: _, kind: __, metadata, ...fields } = template;
  const {
    name: ___,
    namespace: ____,
    ...others
  } = isRecord(metadata) ? (metadata as Partial<Manifest['metadata']>) : {};
  const short = {
    ...(Object.keys(others).length > 0 ? { metadata: others as Manifest['metadata'] } : {}),
    ...fields,
  };
  return JSON.stringify(wholeTemplate(short, object)) === JSON.stringify(template)
    ? short
    : template;
}

/** The template that `shortTemplate` made short. */
export function wholeTemplate(
  short: Partial<Manifest>,
  { apiVersion, kind, namespace, name }: Named,
): Manifest {
  if (short.kind !== undefined) {
    return short as Manifest;
  }
  const { metadata, ...fields } = short;
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) },
    ...fields,
  } as Manifest;
}

/** The end of an edge, with `/` in place of the target of the object at its other end. */
export function shortEnd(end: string, target: string): string {
  return end.startsWith(`${target}/`) ? end.slice(target.length) : end;
}

/** The end that `shortEnd` made short. */
export function wholeEnd(short: string, target: string): string {
  return short.startsWith('/') ? `${target}${short}` : short;
}

/** The late values that an account has next to its kubeconfig. */
function besides(id: string): Pick<KubeconfigParts, 'ca' | 'token'> {
  const token = (name: string, encodings: string): string =>
    `${LATE_OPEN}${id.slice(0, id.lastIndexOf('.') + 1)}${name}${encodings}}`;
  return { ca: token('ca', `|base64${LATE_YAML}`), token: token('token', LATE_YAML) };
}

/** The parts of a late value that is a kubeconfig; undefined for other texts. */
export function shortKubeconfig(text: string, id: string): Partial<KubeconfigParts> | undefined {
  const parts = kubeconfigParts(text);
  if (!parts) {
    return undefined;
  }
  const { ca, token, ...others } = parts;
  const own = besides(id);
  return { ...others, ...(ca === own.ca ? {} : { ca }), ...(token === own.token ? {} : { token }) };
}

/** The text that `shortKubeconfig` made short. */
export function wholeKubeconfig(short: Partial<KubeconfigParts>, id: string): string {
  return kubeconfigOf({ ...besides(id), ...short } as KubeconfigParts);
}
