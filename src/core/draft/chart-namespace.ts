/** The namespace that a construct has by default, which a chart can replace. */
export function ofChart(chartNamespace: string | undefined, byDefault = 'default'): string {
  return byDefault === 'default' ? (chartNamespace ?? byDefault) : byDefault;
}
