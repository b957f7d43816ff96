import { objectId } from '../../../core/manifest/manifest';
import { mermaidOf } from '../mermaid';
import { PageReport, platformPage } from './page';
import { World } from '../../../core/rule/rule';
import { Redactor } from '../../../core/secret/redactor';
import { Block, line, withTexts } from '../../../core/text/screen';
import { ComparedInput, manifestsOfEdits, readCompared } from '../../../engine/read/compared-input';
import { ComparedPaths } from '../../../engine/read/environments';
import {
  LoadedAssembly,
  readAssembly,
  refuseFolderOfOutputs,
  refuseMissing,
} from '../../../engine/read/load-assembly';
import { Input } from '../../../engine/read/read-input';
import { accessMatrix } from '../../access/access-matrix';
import { accessText } from '../../access/access-text';
import { addressTable, printAddresses } from '../../addresses/address-table';
import { FitRow, fitTable, printFits } from '../../fits/fit-table';
import { impactsOfEdits } from '../../impact/edit-impacts';
import { Impact } from '../../impact/impact';
import { impactReport } from '../../impact/print-impact';
import { chosenPlatform } from '../choose-parts';
import { objectNotes } from '../part-notes';
import { pictureOf } from '../picture';
import { Platform, platformOf } from '../platform';
import { platformText } from '../platform-text';
import { svgFile } from '../svg';

/** The formats of `graph`. */
export const GRAPH_FORMATS = ['text', 'json', 'mermaid', 'svg', 'html'] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** What `graph` reads. */
export interface GraphOptions {
  /** The part to show, with what is around it. @default - the whole platform */
  readonly of?: string;
  /** The previous output, for what a change does to machines. @default - none */
  readonly before?: readonly string[];
  /** Paths with live objects, for the reports. @default - none */
  readonly world?: readonly string[];
}

/** A platform, and what the reports know of it. */
export interface FoundPlatform {
  readonly platform: Platform;
  readonly title: string;
  readonly world: World;
  readonly fits: readonly FitRow[];
  /** Undefined without a previous output. */
  readonly impacts?: readonly Impact[];
  /** What was read, for a note on what is encrypted. */
  readonly inputs: readonly Input[];
  /** Removes the secrets of the program from texts about a change. */
  readonly scrub: (text: string) => string;
}

/** What Rancher people have in mind, as a title. */
const TITLE = 'Platform';

/** Reads an output folder, and what the reports find in it. */
export function findPlatform(
  folder: string,
  { of, before = [], world: live = [] }: GraphOptions,
): FoundPlatform {
  const compared = readOutput(folder, { before, world: live });
  const world = new World(compared.after.objects, compared.live.objects);
  const redactor = Redactor.of(manifestsOfEdits([compared]));
  const scrub = (text: string): string => redactor.scrub(text);
  const impacts = before.length === 0 ? undefined : impactsOfEdits([compared]);
  const fits = fitTable(world);
  const whole = platformOf(
    declaredIn(folder, compared.after),
    objectNotes({ world, fits, impacts, scrub }),
  );
  return {
    platform: of === undefined ? whole : chosenPlatform(whole, of),
    title: of === undefined ? TITLE : `${TITLE}: ${of}`,
    world,
    fits,
    ...(impacts === undefined ? {} : { impacts }),
    inputs: [compared.after, compared.live],
    scrub,
  };
}

/** Reads the one output of a folder, and what it is compared with. */
function readOutput(folder: string, paths: ComparedPaths): ComparedInput {
  refuseFolderOfOutputs(folder);
  const [compared] = readCompared([folder], paths);
  if (compared!.after.assemblies.length === 0) {
    // reports what is wrong with the file
    readAssembly(folder);
  }
  return compared!;
}

/** The assembly of an output, and the manifests of its objects, by their IDs. */
function declaredIn(
  folder: string,
  { assemblies, objects }: Input,
): Pick<LoadedAssembly, 'assembly' | 'manifests'> {
  const [assembly] = assemblies;
  const manifests = new Map(
    objects.map(({ target, manifest }) => [objectId(target.name, manifest), manifest]),
  );
  refuseMissing(
    folder,
    assembly!.objects.filter(({ id }) => !manifests.has(id)),
  );
  return { assembly: assembly!, manifests };
}

/** What `graph` found. */
export interface GraphResult extends Platform {
  /** Draws the platform as a flowchart, a picture, or a page. */
  readonly draw: (format: Exclude<GraphFormat, 'json' | 'text'>) => string;
}

/** The platform of an output folder, for programs. */
export function drawnPlatform(folder: string, options: GraphOptions): GraphResult {
  const found = findPlatform(folder, options);
  return { ...found.platform, draw: (format) => graphReport(found, format) };
}

/** A platform in a format. */
export function graphReport(found: FoundPlatform, format: Exclude<GraphFormat, 'text'>): string;
export function graphReport(found: FoundPlatform, format: GraphFormat): string | Block[];
export function graphReport(found: FoundPlatform, format: GraphFormat): string | Block[] {
  const { platform, title } = found;
  switch (format) {
    case 'text':
      return platformText(platform);
    case 'json':
      return JSON.stringify({ schemaVersion: '1', ...platform }, undefined, 2);
    case 'mermaid':
      return mermaidOf(pictureOf(platform));
    case 'svg':
      return svgFile(pictureOf(platform), title);
    case 'html':
      return platformPage(platform, pictureOf(platform), pageReports(found), title);
  }
}

const NO_BASE =
  'Run graph with --before and the previous output to see which machines a change replaces or deletes.';

/** The reports as their commands print them. */
function pageReports({ world, fits, impacts, scrub }: FoundPlatform): PageReport[] {
  const addresses = printAddresses(addressTable(world), 'text') as Block[];
  return [
    {
      id: 'impact',
      title: 'Impact',
      blocks:
        impacts === undefined ? [line(NO_BASE)] : withTexts(impactReport(impacts, 'text'), scrub),
    },
    { id: 'fits', title: 'Fits', blocks: printFits(fits, 'text') as Block[] },
    {
      id: 'access',
      title: 'Access',
      blocks: accessText(accessMatrix(world.judged, world.live)),
    },
    { id: 'addresses', title: 'Addresses', blocks: addresses },
  ];
}
