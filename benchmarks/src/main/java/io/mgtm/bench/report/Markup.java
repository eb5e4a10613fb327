package io.mgtm.bench.report;

import java.io.StringWriter;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** An element of a page that is being written; whatever is told as text is escaped. One thread. */
final class Markup {
  private final Element element;

  private Markup(Element element) {
    this.element = element;
  }

  /** The element {@code html} of a new page. */
  static Markup page() {
    try {
      Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
      Element root = document.createElement("html");
      document.appendChild(root);
      return new Markup(root);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException(e); // The JDK's own has what is asked for.
    }
  }

  /** A new last child. */
  Markup add(String tag) {
    Element child = document().createElement(tag);
    element.appendChild(child);
    return new Markup(child);
  }

  /** A new last child with a text; this element, for more of them. */
  Markup add(String tag, String text) {
    add(tag).text(text);
    return this;
  }

  Markup text(String text) {
    element.appendChild(document().createTextNode(text));
    return this;
  }

  Markup attribute(String name, String value) {
    element.setAttribute(name, value);
    return this;
  }

  void add(Element child) {
    element.appendChild(child);
  }

  Document document() {
    return element.getOwnerDocument();
  }

  /** The whole page, as HTML. */
  String html() {
    try {
      Transformer transformer = TransformerFactory.newInstance().newTransformer();
      transformer.setOutputProperty(OutputKeys.METHOD, "html");
      transformer.setOutputProperty(OutputKeys.ENCODING, "UTF-8");
      transformer.setOutputProperty(OutputKeys.INDENT, "no");
      StringWriter text = new StringWriter();
      transformer.transform(new DOMSource(document()), new StreamResult(text));
      return "<!DOCTYPE html>\n" + text + "\n";
    } catch (TransformerException e) {
      throw new IllegalStateException(e); // A tree in memory to a text in memory.
    }
  }
}
