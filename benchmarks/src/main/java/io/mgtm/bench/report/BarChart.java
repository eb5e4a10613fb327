package io.mgtm.bench.report;

import io.mgtm.bench.report.Comparison.Bar;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGIDGenerator;
import org.apache.batik.svggen.SVGSyntax;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.ScatterRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.statistics.DefaultMultiValueCategoryDataset;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Bars of medians, with a dot for each round, as an SVG element that takes the colour of the text
 * around it. Needs a font, and no screen. One thread.
 */
final class BarChart {
  private static final int WIDTH = 760;
  private static final int BAR_HEIGHT = 15;
  private static final int LOAD_MARGIN = 12;

  /** Of axis, its name and the legend. */
  private static final int FRAME_HEIGHT = 90;

  private static final Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);

  /** Becomes the colour of the text. */
  private static final Color INK = Color.BLACK;

  private static final Color GRID = new Color(140, 140, 140);
  private static final Color REFERENCE = new Color(132, 141, 158);

  /** To be told apart on white and on black, and by most who confuse colours. */
  private static final List<Color> SERIES =
      List.of(
          new Color(46, 125, 211),
          new Color(222, 133, 28),
          new Color(46, 158, 107),
          new Color(168, 104, 190));

  private BarChart() {}

  /**
   * Draws it.
   *
   * @param page that the element is for; it is not added to it
   * @param number of the chart, so that ids are those of one chart alone
   */
  static Element draw(Document page, int number, Comparison comparison) {
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(page);
    context.setComment("");
    context.setIDGenerator(
        new SVGIDGenerator() {
          @Override
          public String generateID(String prefix) {
            return super.generateID("chart" + number + "-" + prefix);
          }
        });
    SVGGraphics2D graphics = new SVGGraphics2D(context, false);
    int height = height(comparison);
    graphics.setSVGCanvasSize(new Dimension(WIDTH, height));
    chart(comparison).draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
    Element svg = graphics.getRoot();
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("viewBox", "0 0 " + WIDTH + " " + height);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", comparison.title() + ", " + comparison.unit());
    takeColourOfText(svg);
    return svg;
  }

  private static int height(Comparison comparison) {
    int series = comparison.series().size();
    return FRAME_HEIGHT + comparison.loads().size() * (series * BAR_HEIGHT + LOAD_MARGIN);
  }

  private static JFreeChart chart(Comparison comparison) {
    DefaultCategoryDataset medians = new DefaultCategoryDataset();
    DefaultMultiValueCategoryDataset rounds = new DefaultMultiValueCategoryDataset();
    for (String series : comparison.series()) {
      for (String load : comparison.loads()) {
        // Bars of one series stand at one place in each load.
        medians.addValue(null, series, load);
        rounds.add(List.of(), series, load);
      }
    }
    for (Bar bar : comparison.bars()) {
      medians.setValue(bar.spread().median(), bar.series(), bar.load());
      if (bar.spread().rounds().size() > 1) {
        rounds.add(bar.spread().rounds(), bar.series(), bar.load());
      }
    }
    CategoryPlot plot =
        new CategoryPlot(medians, loadAxis(), valueAxis(comparison), bars(comparison));
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setDataset(1, rounds);
    plot.setRenderer(1, dots(comparison));
    plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
    plot.setBackgroundPaint(null);
    plot.setOutlineVisible(false);
    plot.setRangeGridlinePaint(GRID);
    JFreeChart chart = new JFreeChart(null, FONT, plot, true);
    chart.setBackgroundPaint(null);
    chart.getLegend().setItemFont(FONT);
    chart.getLegend().setItemPaint(INK);
    chart.getLegend().setBackgroundPaint(null);
    chart.getLegend().setFrame(BlockBorder.NONE);
    return chart;
  }

  private static CategoryAxis loadAxis() {
    CategoryAxis axis = new CategoryAxis();
    axis.setTickLabelFont(FONT);
    axis.setTickLabelPaint(INK);
    axis.setAxisLinePaint(GRID);
    axis.setLowerMargin(0.01);
    axis.setUpperMargin(0.01);
    axis.setMaximumCategoryLabelWidthRatio(0.4f);
    return axis;
  }

  private static NumberAxis valueAxis(Comparison comparison) {
    boolean higher = comparison.better() == Comparison.Better.HIGHER;
    NumberAxis axis =
        new NumberAxis(comparison.unit() + (higher ? ", more is better" : ", less is better"));
    axis.setLabelFont(FONT);
    axis.setLabelPaint(INK);
    axis.setTickLabelFont(FONT);
    axis.setTickLabelPaint(INK);
    axis.setAxisLinePaint(GRID);
    axis.setTickMarkPaint(GRID);
    axis.setAutoRangeIncludesZero(true);
    return axis;
  }

  private static BarRenderer bars(Comparison comparison) {
    BarRenderer bars = new BarRenderer();
    bars.setBarPainter(new StandardBarPainter());
    bars.setShadowVisible(false);
    bars.setDrawBarOutline(false);
    bars.setItemMargin(0.05);
    List<String> series = comparison.series();
    int next = 0;
    for (int i = 0; i < series.size(); i++) {
      boolean reference = series.get(i).equals(comparison.reference());
      bars.setSeriesPaint(i, reference ? REFERENCE : SERIES.get(next % SERIES.size()));
      next += reference ? 0 : 1;
    }
    return bars;
  }

  private static ScatterRenderer dots(Comparison comparison) {
    ScatterRenderer dots = new ScatterRenderer();
    dots.setItemMargin(0.05);
    dots.setDefaultSeriesVisibleInLegend(false);
    dots.setUseOutlinePaint(true);
    dots.setDrawOutlines(true);
    for (int i = 0; i < comparison.series().size(); i++) {
      dots.setSeriesShape(i, new Ellipse2D.Double(-2, -2, 4, 4));
      dots.setSeriesShapesFilled(i, Boolean.FALSE);
      dots.setSeriesOutlinePaint(i, INK);
      dots.setSeriesPaint(i, INK);
      dots.setSeriesOutlineStroke(i, new BasicStroke(1f));
    }
    return dots;
  }

  /** And has no ids but those of the context, since other charts stand in the same page. */
  private static void takeColourOfText(Element svg) {
    replaceInk(svg);
    NodeList all = svg.getElementsByTagName("*");
    for (int i = 0; i < all.getLength(); i++) {
      Element element = (Element) all.item(i);
      replaceInk(element);
      if (element.getAttribute("id").equals(SVGSyntax.ID_PREFIX_GENERIC_DEFS)) {
        element.removeAttribute("id");
      }
    }
  }

  private static void replaceInk(Element element) {
    for (String attribute : List.of("fill", "stroke")) {
      if (element.getAttribute(attribute).equals("black")) {
        element.setAttribute(attribute, "currentColor");
      }
    }
  }
}
