import { readFileSync, writeFileSync } from 'fs';
import { Mode, UNCHANGED } from './changes';
import { Judged } from './run';
import { Tried } from './trials/witness';
import { Lists } from './verdict';
import { isRecord, Manifest } from '../../../src/core/manifest/manifest';
import { Product } from '../lab/kubeconfigs';

/** How many of the changes the committed recordings have: every eighth of them. */
export const EVERY = 8;

/** Kinds whose live objects no rule reads, or whose objects hold credentials. */
const LEFT_OUT =
  /^(APIService|ClusterRegistrationToken|ClusterRoleBinding|ConfigMap|CustomResourceDefinition|DaemonSet|Deployment|EndpointSlice|Endpoints|Lease|Pod|RKEControlPlane|ReplicaSet|Role(Binding)?|StatefulSet|Token|.*WebhookConfiguration)$/;

/** The answers of a server to the changes of one object, as they are kept in a file. */
export interface RecordedObject {
  readonly scenario: string;
  readonly mode: Mode;
  readonly object: Manifest;
  readonly isApplied: boolean;
  /** The objects of the server, as places in `world`, a list for each kind. */
  readonly lists: readonly (readonly number[])[];
  /** The changes that the server took. */
  readonly taken: readonly string[];
  /** The changes that it refused. */
  readonly refused: readonly string[];
  /** The words of each refusal; only where all changes are kept. */
  readonly words?: { readonly [change: string]: string };
  /** Of these changes, those that failed when they were tried. */
  readonly failed?: readonly string[];
  /** Those that worked when they were tried. */
  readonly worked?: readonly string[];
}

/** The verdicts of a server. */
export interface Recording {
  readonly versions: { readonly [product: string]: string };
  /** Each state of an object of the server, once. */
  readonly world: readonly Manifest[];
  readonly objects: readonly RecordedObject[];
}

/** Takes the place of the values of Secrets. */
const HIDDEN = Buffer.from('hidden').toString('base64');

/** Collects the answers of a server, and writes them to a file. */
export class VerdictRecorder {
  private readonly places = new Map<string, number>();
  private readonly world: Manifest[] = [];
  private readonly objects: RecordedObject[] = [];

  /**
   * @param titles the scenarios in the order of the file
   * @param every how many of the changes are kept: 1 for all of them, with the words of refusals
   */
  public constructor(
    private readonly versions: Recording['versions'],
    private readonly titles: readonly string[],
    private readonly every = EVERY,
  ) {}

  public add({ scenario, mode, object, isApplied, lists, answers }: Judged, tried: Tried): void {
    const chosen = [...answers].filter(
      ([{ what }], index) => what === UNCHANGED || index % this.every === 0,
    );
    const whats = (isRefused: boolean): string[] =>
      chosen
        .filter(([, refusal]) => (refusal !== undefined) === isRefused)
        .map(([{ what }]) => what);
    const wereTried = (hasFailed: boolean): string[] =>
      chosen
        .map(([{ what }]) => what)
        .filter((what) => tried.has(what) && (tried.get(what) !== undefined) === hasFailed);
    const [failed, worked] = [wereTried(true), wereTried(false)];
    this.objects.push({
      scenario,
      mode,
      object,
      isApplied,
      lists: lists
        .filter(([{ kind }]) => !LEFT_OUT.test(kind))
        .map((list) => list.map((each) => this.placeOf(each))),
      taken: whats(false),
      refused: whats(true),
      ...(this.every === 1 ? { words: wordsOf(chosen) } : {}),
      ...(failed.length > 0 ? { failed } : {}),
      ...(worked.length > 0 ? { worked } : {}),
    });
  }

  public write(file: string): void {
    const { versions, world, titles } = this;
    const placeOf = ({ scenario }: RecordedObject): number => titles.indexOf(scenario);
    const objects = [...this.objects].sort((a, b) => placeOf(a) - placeOf(b));
    writeFileSync(file, `${JSON.stringify({ versions, world, objects } satisfies Recording)}\n`);
  }

  private placeOf(manifest: Manifest): number {
    const kept = withoutSecrets(manifest);
    const text = JSON.stringify(kept);
    const place = this.places.get(text) ?? this.world.push(kept) - 1;
    this.places.set(text, place);
    return place;
  }
}

function wordsOf(
  answers: readonly (readonly [change: { readonly what: string }, refusal: string | undefined])[],
): { readonly [change: string]: string } {
  return Object.fromEntries(
    answers.flatMap(([{ what }, refusal]) => (refusal === undefined ? [] : [[what, refusal]])),
  );
}

/** The file of a product in this folder. */
export function fileOf(product: Product): string {
  return `${product}.verdicts.json`;
}

/** The file with all verdicts on a product, which is not in this folder. */
export function wholeFileOf(product: Product): string {
  return `${product}.all-verdicts.json`;
}

export function readRecording(file: string): Recording {
  return JSON.parse(readFileSync(file, 'utf8')) as Recording;
}

/** What a server had when an object was judged. */
export function listsOf({ world }: Recording, { lists }: RecordedObject): Lists {
  return lists.map((list) => list.map((place) => world[place]));
}

/** An object without values of Secrets, and without its status, which no rule of these kinds reads. */
function withoutSecrets({ status: _, ...manifest }: Manifest): Manifest {
  if (manifest.kind === 'ClusterRole') {
    const { name, uid } = manifest.metadata;
    return { ...manifest, metadata: { name, uid }, rules: undefined } as Manifest;
  }
  if (manifest.kind !== 'Secret' || !isRecord(manifest.data)) {
    return manifest as Manifest;
  }
  const data = Object.fromEntries(Object.keys(manifest.data).map((key) => [key, HIDDEN]));
  return { ...manifest, data } as Manifest;
}
