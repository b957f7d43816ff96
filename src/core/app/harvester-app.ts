import { App, Chart, IResolver } from 'cdk8s';
import { markApp } from './app-mark';
import { AssemblyRemoval, LATE_VALUES_ENV } from '../output/assembly';
import { OutputLayout } from '../output/layout';
import { Finding } from '../rule/finding';
import type { Examination } from '../synthesis/synthesis';
import { lazily } from '../text/values';

/**
 * Properties of a program.
 */
export interface HarvesterAppProps {
  /**
   * The folder that is written to.
   * @default - the environment variable CDK8S_OUTDIR, which `cdk8s synth` sets, else `dist`
   */
  readonly outdir?: string;
  /**
   * How manifests are put into files.
   * @default OutputLayout.FILE_PER_KIND
   */
  readonly layout?: OutputLayout;
  /**
   * A file of resolved late values, `{"schemaVersion":"1","values":{"<id>":"<value>"}}`: what waits for them is written in full.
   * @default - the environment variable CDK8S_HARVESTER_LATE_VALUES, else no late value is known
   */
  readonly lateValuesFile?: string;
  /**
   * Whether synthesis prints warnings to standard error. They stand in the assembly and in `findings` in any case.
   * @default true
   */
  readonly printWarnings?: boolean;
  /**
   * Resolvers of cdk8s that are asked before its own.
   * @default - no others
   */
  readonly resolvers?: IResolver[];
  /**
   * Whether `construct-metadata.json` of cdk8s is written, for its validation plugins.
   * @default - what `cdk8s synth` asks for
   */
  readonly recordConstructMetadata?: boolean;
}

// what synthesis needs is loaded when it runs: editors and tests load the library far more often than they synthesize
// eslint-disable-next-line @typescript-eslint/no-require-imports
const synthesis = lazily(() => require('../synthesis/synthesis') as typeof import('../synthesis/synthesis'));
// eslint-disable-next-line @typescript-eslint/no-require-imports
const leftOutput = lazily(() => require('../output/left-output') as typeof import('../output/left-output'));

/**
 * A program that declares a whole platform: several target charts, their objects, and what waits for what.
 *
 * Synthesis renders everything, runs the rules once over all targets together, and writes `<outdir>/<target>/*.yaml` and `assembly.json`.
 * With an error among the findings nothing is written and the former output stays as it was.
 */
export class HarvesterApp extends App {
  private readonly layout: OutputLayout;
  private readonly lateValuesFile?: string;
  private readonly printWarnings: boolean;
  private readonly recordMetadata: boolean;
  private readonly removals: AssemblyRemoval[] = [];
  private lastFindings: readonly Finding[] = [];

  constructor(props: HarvesterAppProps = {}) {
    super({ outdir: props.outdir, resolvers: props.resolvers });
    this.recordMetadata = props.recordConstructMetadata ?? process.env.CDK8S_RECORD_CONSTRUCT_METADATA === 'true';
    this.layout = props.layout ?? OutputLayout.FILE_PER_KIND;
    this.lateValuesFile = props.lateValuesFile ?? process.env[LATE_VALUES_ENV];
    this.printWarnings = props.printWarnings ?? true;
    markApp(this);
  }

  /** All charts, in the order of the program. What waits for what is said by edges, not by charts. */
  public get charts(): Chart[] {
    return this.node.findAll().filter((child): child is Chart => child instanceof Chart);
  }

  /** What the rules said in the last synthesis, errors first; suppressed findings too, with their reason. */
  public get findings(): Finding[] {
    return [...this.lastFindings];
  }

  /**
   * Runs all rules and returns what they say, without writing or failing.
   */
  public validate(): Finding[] {
    return [...this.examine().findings];
  }

  /**
   * Accepts that objects leave the output: because the program no longer declares them, or because they wait for a late value now.
   *
   * Without it, synthesis and `lint --before` refuse to let go what holds machines, data or tenants, as engines that prune delete it. Nothing is
   * deleted by this alone. The line may be removed once the new output is everywhere.
   *
   * @param objects id of an object as the finding prints it, e.g. `dc1/kubevirt.io/VirtualMachine/default/bastion`; `*` stands for any text
   * @param reason why they may go; people read it in reviews
   */
  public acceptRemoval(objects: string, reason: string): void {
    const empty = [['objects', objects], ['reason', reason]].find(([, text]) => text.trim() === '');
    if (empty) { throw new Error(`acceptRemoval: ${empty[0]} must not be empty. Fix: set the id of an object, and why it may go`); }
    this.removals.push({ objects, reason });
  }

  /**
   * Writes the output folder; with an error among the findings it throws one report of all of them and writes nothing.
   *
   * What an earlier synthesis wrote to the same folder is compared: an object that leaves the output is a finding.
   */
  public synth(): void {
    const { write, failOnErrors, warningsOf } = synthesis();
    const examination = this.examine();
    const left = leftOutput().leftOutputOf(examination, this.outdir, this.removals);
    this.lastFindings = [...examination.findings, ...left];
    failOnErrors(this.lastFindings);
    write(examination, { outdir: this.outdir, layout: this.layout, recordMetadata: this.recordMetadata, removals: this.removals });
    const warnings = warningsOf(this.lastFindings);
    if (this.printWarnings && warnings) { process.stderr.write(`${warnings}\n`); }
  }

  /**
   * All objects as one YAML text. Only for a program of one target without late values: several clusters do not go into one file.
   */
  public synthYaml(): string {
    const examination = this.examine();
    synthesis().failOnErrors(examination.findings);
    return synthesis().oneText(examination);
  }

  /** @internal */
  public _failOnFindings(): void {
    synthesis().failOnErrors(this.examine().findings);
  }

  private examine(): Examination {
    const examination = synthesis().examine(this, this.lateValuesFile);
    this.lastFindings = examination.findings;
    return examination;
  }
}
