import { Block, PLAIN, render } from '../../src/core/text/screen';

/** A report as a log shows it. */
export function shown(report: string | readonly Block[]): string {
  return typeof report === 'string' ? report : render(report, PLAIN);
}
